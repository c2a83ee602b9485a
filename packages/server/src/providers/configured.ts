import type { AcpDefinition } from "./acp/definition.ts";
import { BUILT_IN, define } from "./built-in.ts";

/** What a user says about an agent: one that is built in, or one of their own. */
export interface ConfiguredAgent {
  readonly title?: string;
  /** Program and arguments. One of the user's own needs it. */
  readonly command?: readonly string[];
  /** Added to what the agent gets anyway. */
  readonly env?: Readonly<Record<string, string>>;
  /** Further variables of the server's that the agent may see. */
  readonly passEnv?: readonly string[];
  /** Further files and folders that it sees in a sandbox. */
  readonly mounts?: readonly string[];
  /** Null leaves the agent's own. */
  readonly mode?: string | null;
  readonly models?: readonly string[];
  /** False: it is not given Holdfast's own tools. */
  readonly tools?: boolean;
}

/** The built-in agents as configured, then the user's own. */
export function definitionsOf(
  configured: ReadonlyMap<string, ConfiguredAgent>,
): readonly AcpDefinition[] {
  const known = BUILT_IN.map((definition) => {
    const changes = configured.get(definition.name);
    return changes === undefined ? definition : change(definition, changes);
  });
  const names = new Set(BUILT_IN.map(({ name }) => name));
  const own = [...configured]
    .filter(([name]) => !names.has(name))
    .map(([name, agent]) => change(define({ name, command: agent.command ?? [name] }), agent));
  return [...known, ...own];
}

function change(definition: AcpDefinition, agent: ConfiguredAgent): AcpDefinition {
  return {
    ...definition,
    title: agent.title ?? definition.title,
    command: agent.command ?? definition.command,
    env: { ...definition.env, ...agent.env },
    passes: [...new Set([...definition.passes, ...(agent.passEnv ?? [])])],
    mounts: [...new Set([...definition.mounts, ...(agent.mounts ?? [])])],
    mode: agent.mode === undefined ? definition.mode : agent.mode,
    asks: isSetUpAsBefore(definition, agent) ? definition.asks : null,
    models: agent.models ?? definition.models,
    tools: agent.tools ?? definition.tools,
  };
}

/** Whether what makes it ask is still as it was. */
function isSetUpAsBefore(
  definition: AcpDefinition,
  { command, env, mode }: ConfiguredAgent,
): boolean {
  return (
    (command === undefined || command.join("\0") === definition.command.join("\0")) &&
    (mode === undefined || mode === definition.mode) &&
    Object.keys(env ?? {}).every((name) => !Object.hasOwn(definition.env, name))
  );
}
