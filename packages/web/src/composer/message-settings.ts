import { isObject } from "@holdfast/client";
import type { AgentOption, OptionsReply, OptionValues, Session } from "@holdfast/protocol";
import type { AgentChoice } from "./agent-choice.ts";

/** The mode and options that only the next message gets. */
export interface MessageSettings {
  /** Null if it does not choose one. */
  readonly mode: string | null;
  readonly options: OptionValues;
}

export const NO_SETTINGS: MessageSettings = { mode: null, options: {} };

export function hasSettings({ mode, options }: MessageSettings): boolean {
  return mode !== null || Object.keys(options).length > 0;
}

/** An invalid value counts as none. */
export function toSettings({ mode, options }: Readonly<Record<string, unknown>>): MessageSettings {
  const values = isObject(options) ? Object.entries(options) : [];
  return {
    mode: typeof mode === "string" ? mode : null,
    options: Object.fromEntries(
      values.filter(
        (entry): entry is [string, string | boolean] =>
          typeof entry[1] === "string" || typeof entry[1] === "boolean",
      ),
    ),
  };
}

/** The options of the next message, without its model. */
export interface OptionChoices {
  readonly mode: AgentOption | null;
  readonly others: readonly AgentOption[];
  /** False if the message goes to another agent than the session's, whose settings stay as they are. */
  readonly isSession: boolean;
}

/** The choices with the values that the next message gets. */
export function optionChoicesOf({
  session,
  choice,
  chosen,
  reply,
}: {
  readonly session: Pick<Session, "mode" | "options">;
  readonly choice: AgentChoice;
  readonly chosen: MessageSettings;
  readonly reply: OptionsReply | null;
}): OptionChoices {
  const isSession = reply === null || reply.provider === choice.provider;
  const offered = isSession ? (reply?.options ?? []) : modesOf(choice);
  const withValue = (option: AgentOption): AgentOption => {
    const kept = isSession ? session : { mode: null, options: {} };
    const own = option.id === "mode" ? chosen.mode : valueIn(chosen.options, option.id);
    const before = option.id === "mode" ? kept.mode : valueIn(kept.options, option.id);
    return { ...option, value: own ?? before ?? option.value };
  };
  const options = offered.filter(({ id }) => id !== "model").map(withValue);
  return {
    mode: options.find(({ id }) => id === "mode") ?? null,
    others: options.filter(({ id }) => id !== "mode"),
    isSession,
  };
}

/** What is known of an agent that has not worked in the session. */
function modesOf({ about }: AgentChoice): readonly AgentOption[] {
  if (about === null || about.modes.length === 0) return [];
  const choices = about.modes.map(({ id, name }) => ({ id, name, description: null }));
  return [
    {
      id: "mode",
      name: "Mode",
      description: null,
      category: "mode",
      type: "select",
      value: null,
      choices,
    },
  ];
}

function valueIn(options: OptionValues, id: string): string | boolean | null {
  return Object.hasOwn(options, id) ? (options[id] ?? null) : null;
}

/** A sentence about the settings that only the next message gets; null if there are none. */
export function settingsNote(
  { mode, others }: OptionChoices,
  chosen: MessageSettings,
): string | null {
  if (!hasSettings(chosen)) return null;
  const named = [
    ...(chosen.mode === null ? [] : [labelOf(mode, chosen.mode)]),
    ...Object.entries(chosen.options).map(([id, value]) => {
      const option = others.find((each) => each.id === id) ?? null;
      return `${option?.name ?? id} ${labelOf(option, value)}`;
    }),
  ];
  return `Only for this message: ${named.join(", ")}`;
}

/** The name of a value. */
export function labelOf(option: AgentOption | null, value: string | boolean): string {
  if (typeof value === "boolean") return value ? "on" : "off";
  return option?.choices.find(({ id }) => id === value)?.name ?? value;
}

/** A new value of the mode or an option. */
export interface SettingChange {
  readonly option: AgentOption;
  readonly value: string | boolean;
}

/** A value that the agent no longer lists. */
export function unlisted({ value, choices }: AgentOption): readonly string[] {
  return typeof value !== "string" || choices.some(({ id }) => id === value) ? [] : [value];
}

/** The mode after the present one, in the agent's order; null if there is no other. */
export function nextMode({ value, choices }: AgentOption): string | null {
  const index = choices.findIndex(({ id }) => id === value);
  const next = choices[(index + 1) % choices.length];
  return next === undefined || next.id === value ? null : next.id;
}
