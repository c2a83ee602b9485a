import { isArray, isObject, type Json } from "../json.ts";

/** The values of an agent's options, by the ID of the option. */
export type OptionValues = Readonly<Record<string, OptionValue>>;
export type OptionValue = string | boolean;

/** The mode and the options that a message chooses for its own run. */
export type RunSettings = {
  readonly mode?: string;
  readonly options?: OptionValues;
};

/** The settings that the agents of one provider get in a session; mode and options have no meaning for other providers. */
export type KeptSettings = {
  readonly provider: string;
  /** Null: the configured mode of the provider, or the agent's own default. */
  readonly mode: string | null;
  /** Only values that somebody chose, or that the agent changed. */
  readonly options: OptionValues;
};

/** A change of the kept settings of one provider. Null forgets a value. */
export interface SettingsChange {
  readonly provider: string;
  readonly mode?: string | null;
  readonly options?: Readonly<Record<string, OptionValue | null>>;
}

/** Beyond this number, the provider whose settings did not change for longest is dropped. */
const MAX_PROVIDERS = 20;
/** Beyond this number, the oldest options are dropped. */
export const MAX_KEPT_OPTIONS = 100;

export function settingsOf(kept: readonly KeptSettings[], provider: string): KeptSettings {
  return kept.find((each) => each.provider === provider) ?? { provider, mode: null, options: {} };
}

/** The part of the change that is news; null if all of it is kept already. */
export function newsIn(
  kept: readonly KeptSettings[],
  { provider, mode, options = {} }: SettingsChange,
): SettingsChange | null {
  const before = settingsOf(kept, provider);
  const changed = Object.entries(options).filter(
    ([id, value]) => value !== (valueIn(before.options, id) ?? null),
  );
  const isNewMode = mode !== undefined && mode !== before.mode;
  if (!isNewMode && changed.length === 0) return null;
  return {
    provider,
    ...(isNewMode && { mode }),
    ...(changed.length > 0 && { options: Object.fromEntries(changed) }),
  };
}

/** The kept settings after a change; the provider of the newest change is last. */
export function withSettings(
  kept: readonly KeptSettings[],
  { provider, mode, options = {} }: SettingsChange,
): readonly KeptSettings[] {
  const before = settingsOf(kept, provider);
  const values = new Map(Object.entries(before.options));
  for (const [id, value] of Object.entries(options)) {
    values.delete(id);
    if (value !== null) values.set(id, value);
  }
  const after = {
    provider,
    mode: mode === undefined ? before.mode : mode,
    options: Object.fromEntries([...values].slice(-MAX_KEPT_OPTIONS)),
  };
  const others = kept.filter((each) => each.provider !== provider);
  const isEmpty = after.mode === null && values.size === 0;
  return isEmpty ? others : [...others, after].slice(-MAX_PROVIDERS);
}

/** What an agent changed itself, without what the message chose for its run only. */
export function withoutChoices(
  change: SettingsChange,
  { mode, options = {} }: RunSettings,
): SettingsChange {
  const own = Object.entries(change.options ?? {}).filter(([id]) => !Object.hasOwn(options, id));
  return {
    provider: change.provider,
    ...(change.mode !== undefined && mode === undefined && { mode: change.mode }),
    ...(own.length > 0 && { options: Object.fromEntries(own) }),
  };
}

/** The value of an option that has its own key; not one that every object inherits. */
export function valueIn(options: OptionValues, id: string): OptionValue | undefined {
  return Object.hasOwn(options, id) ? options[id] : undefined;
}

/** Invalid entries are left out. */
export function parseKeptSettings(stored: Json | undefined): readonly KeptSettings[] {
  if (stored === undefined || !isArray(stored)) return [];
  return stored
    .flatMap((item): KeptSettings[] => {
      if (!isObject(item) || typeof item["provider"] !== "string") return [];
      const { provider, mode } = item;
      const options = parseOptions(item["options"]);
      return [{ provider, mode: typeof mode === "string" ? mode : null, options }];
    })
    .slice(-MAX_PROVIDERS);
}

/** Undefined if it chooses nothing. */
export function parseRunSettings(stored: Json | undefined): RunSettings | undefined {
  if (stored === undefined || !isObject(stored)) return undefined;
  const { mode } = stored;
  const options = parseOptions(stored["options"]);
  return runSettingsOf({ mode: typeof mode === "string" ? mode : null, options });
}

/** Undefined if it chooses nothing. */
export function runSettingsOf(choice: {
  readonly mode: string | null;
  readonly options: OptionValues;
}): RunSettings | undefined {
  const { mode, options } = choice;
  const hasOptions = Object.keys(options).length > 0;
  if (mode === null && !hasOptions) return undefined;
  return { ...(mode !== null && { mode }), ...(hasOptions && { options }) };
}

function parseOptions(stored: Json | undefined): OptionValues {
  if (stored === undefined || !isObject(stored)) return {};
  return Object.fromEntries(
    Object.entries(stored)
      .flatMap(([id, value]): [string, OptionValue][] =>
        typeof value === "string" || typeof value === "boolean" ? [[id, value]] : [],
      )
      .slice(-MAX_KEPT_OPTIONS),
  );
}
