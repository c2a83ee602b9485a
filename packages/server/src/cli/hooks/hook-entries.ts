import { isObject } from "../../domain/json.ts";
import { DELEGATING_TOOLS } from "./delegation.ts";

/** Settings of Claude Code. Everything except hooks stays unchanged. */
type Settings = Readonly<Record<string, unknown>>;

interface Entry {
  readonly event: string;
  /** Null for an event that concerns no tool. */
  readonly matcher: string | null;
  readonly hook: "pre-delegate" | "subagent-stop";
}

/** The answer at PreToolUse reaches the agent that delegates; the answer at SubagentStart reaches the subagent. */
const ENTRIES: readonly Entry[] = [
  { event: "PreToolUse", matcher: DELEGATING_TOOLS.join("|"), hook: "pre-delegate" },
  { event: "SubagentStart", matcher: null, hook: "pre-delegate" },
  { event: "SubagentStop", matcher: null, hook: "subagent-stop" },
];

/** The timeout of Claude Code; our hooks give up earlier. */
const TIMEOUT_SECONDS = 10;

/** A part of the settings that does not have the form of Claude Code. */
export interface Misfit {
  readonly path: readonly (string | number)[];
  readonly reason: string;
}

/** Null when the hooks in the settings have the form that Claude Code reads. */
export function misfitIn(settings: unknown): Misfit | null {
  if (!isObject(settings)) return { path: [], reason: "the settings are not an object" };
  const { hooks = {} } = settings;
  if (!isObject(hooks)) return { path: ["hooks"], reason: "hooks must be an object" };
  for (const [event, groups] of Object.entries(hooks)) {
    if (!Array.isArray(groups))
      return { path: ["hooks", event], reason: `hooks.${event} must be a list` };
    for (const [index, group] of groups.entries())
      if (!isObject(group) || !Array.isArray(group["hooks"]))
        return {
          path: ["hooks", event, index],
          reason: `an entry of hooks.${event} must have a list of hooks`,
        };
  }
  return null;
}

/** Adds both hooks. Existing ones stay; only the program they call is updated. */
export function withHooks(settings: Settings, commandOf: (hook: string) => string): Settings {
  const hooks = { ...hooksIn(settings) };
  for (const { event, matcher, hook } of ENTRIES) {
    const groups = hooks[event] ?? [];
    const command = commandOf(hook);
    hooks[event] = groups.some((group) => handlersIn(group).some((each) => isOurs(each, hook)))
      ? groups.map((group) => withCommand(group, hook, command))
      : [
          ...groups,
          {
            ...(matcher !== null && { matcher }),
            hooks: [{ type: "command", command, timeout: TIMEOUT_SECONDS }],
          },
        ];
  }
  return { ...settings, hooks };
}

/** Removes our hooks, and the groups and events that are empty without them. */
export function withoutHooks(settings: Settings): Settings {
  const hooks = hooksIn(settings);
  const all = Object.values(hooks).flat();
  if (!all.some((group) => handlersIn(group).some((handler) => isOurs(handler)))) return settings;
  const left = Object.entries(hooks).flatMap(([event, groups]) => {
    const remaining = groups.flatMap((group) => {
      const before = handlersIn(group);
      const after = before.filter((handler) => !isOurs(handler));
      if (after.length === before.length) return [group];
      return after.length === 0 ? [] : [{ ...group, hooks: after }];
    });
    return remaining.length === 0 && groups.length > 0 ? [] : [[event, remaining] as const];
  });
  const { hooks: _, ...rest } = settings;
  return left.length === 0 ? rest : { ...settings, hooks: Object.fromEntries(left) };
}

type Group = Readonly<Record<string, unknown>>;
type Groups = Readonly<Record<string, readonly Group[]>>;

/** The settings have passed `misfitIn`. */
function hooksIn({ hooks }: Settings): Groups {
  if (!isObject(hooks)) return {};
  return Object.fromEntries(
    Object.entries(hooks).map(([event, groups]) => [
      event,
      Array.isArray(groups) ? groups.filter(isObject) : [],
    ]),
  );
}

function handlersIn(group: Group): readonly unknown[] {
  return Array.isArray(group["hooks"]) ? group["hooks"] : [];
}

function withCommand(group: Group, hook: string, command: string): Group {
  const hooks = handlersIn(group).map((handler) =>
    isObject(handler) && isOurs(handler, hook) ? { ...handler, command } : handler,
  );
  return { ...group, hooks };
}

const OURS = /(?:^|[\s'"/\\])holdfast(?:\.js)?['"]?\s+hook\s+(pre-delegate|subagent-stop)(?=\s|$)/u;

/** Recognizes our hooks by their command, with any path to Holdfast. */
function isOurs(handler: unknown, hook?: string): boolean {
  if (!isObject(handler) || typeof handler["command"] !== "string") return false;
  const ours = OURS.exec(handler["command"])?.[1];
  return ours !== undefined && (hook === undefined || ours === hook);
}
