import type {
  AgentOffer,
  OfferedChoice,
  OfferedCommand,
  OfferedOption,
} from "../../../domain/settings/agent-offer.ts";
import type { OptionValue } from "../../../domain/settings/agent-settings.ts";
import type { ChangedByAgent } from "../../provider.ts";
import { looseLabel, looseList, looseObject, type Loose } from "../wire/loose.ts";

/** The commands and settings an agent has announced since it started. */
export interface AgentAbout {
  readonly commands: readonly OfferedCommand[];
  readonly mode: Setting;
  readonly model: Setting;
  /** All other options. */
  readonly others: readonly OfferedOption[];
}

interface Setting {
  readonly name: string | null;
  readonly description: string | null;
  readonly choices: readonly OfferedChoice[];
  readonly current: string | null;
  /** The option for `session/set_config_option`; null if only `session/set_mode` or `session/set_model` sets it. */
  readonly option: string | null;
}

const UNKNOWN: Setting = {
  name: null,
  description: null,
  choices: [],
  current: null,
  option: null,
};
export const NOTHING_KNOWN: AgentAbout = {
  commands: [],
  mode: UNKNOWN,
  model: UNKNOWN,
  others: [],
};

/** Nearly all updates have none of these fields. */
const FIELDS = ["availableCommands", "modes", "currentModeId", "models", "configOptions"];
const MAX_CHOICES = 1_000;
const MAX_OPTIONS = 100;
const MAX_COMMANDS = 500;
const MAX_DESCRIPTION = 2_000;

/**
 * Adds the content of a message: the result of `session/new`, `load`, `resume` or `set_config_option`, or an update
 * that announces commands, modes or options.
 */
export function learnAbout(about: AgentAbout, message: unknown): AgentAbout {
  const fields = looseObject(message);
  if (fields === null || !FIELDS.some((name) => Object.hasOwn(fields, name))) return about;
  const { availableCommands, currentModeId } = fields;
  const modes = looseObject(fields["modes"]);
  // Only older agents list models outside their options.
  const models = looseObject(fields["models"]);
  const options = Array.isArray(fields["configOptions"])
    ? looseList(fields["configOptions"])
        .slice(0, MAX_OPTIONS)
        .map(looseObject)
        .filter((option) => option !== null)
    : null;
  const mode = findOption(options ?? [], "mode");
  const model = findOption(options ?? [], "model");
  return {
    commands: Array.isArray(availableCommands) ? parseCommands(availableCommands) : about.commands,
    mode:
      toSetting(mode) ??
      update(
        about.mode,
        parseChoices(modes?.["availableModes"], "id"),
        looseLabel(currentModeId) ?? looseLabel(modes?.["currentModeId"]),
      ),
    model:
      toSetting(model) ??
      update(
        about.model,
        parseChoices(models?.["availableModels"], "modelId"),
        looseLabel(models?.["currentModelId"]),
      ),
    others:
      options === null
        ? about.others
        : options.filter((option) => option !== mode && option !== model).flatMap(parseOption),
  };
}

/** What the agent offers, with its current values. */
export function offerOf({ commands, mode, model, others }: AgentAbout): AgentOffer {
  const known = (id: "mode" | "model", title: string, setting: Setting): OfferedOption[] =>
    setting.choices.length === 0
      ? []
      : [
          {
            id,
            name: setting.name ?? title,
            description: setting.description,
            category: id,
            type: "select",
            value: setting.current,
            choices: setting.choices,
          },
        ];
  const own = others.filter(({ id }) => id !== "mode" && id !== "model");
  return {
    options: [...known("mode", "Mode", mode), ...known("model", "Model", model), ...own],
    commands,
  };
}

/** The values that differ; null if there are none. An option that is new or gone has not changed. */
export function changedValues(before: AgentAbout, after: AgentAbout): ChangedByAgent | null {
  const changed = (key: "mode" | "model"): string | null => {
    const { current } = after[key];
    return current === before[key].current ? null : current;
  };
  const [mode, model] = [changed("mode"), changed("model")];
  const options = after.others.flatMap(({ id, value }): [string, OptionValue][] => {
    const earlier = before.others.find((option) => option.id === id);
    return earlier !== undefined && value !== null && value !== earlier.value ? [[id, value]] : [];
  });
  const values = {
    ...(mode !== null && { mode }),
    ...(model !== null && { model }),
    ...(options.length > 0 && { options: Object.fromEntries(options) }),
  };
  return Object.keys(values).length > 0 ? values : null;
}

function parseCommands(commands: readonly unknown[]): readonly OfferedCommand[] {
  return commands.slice(0, MAX_COMMANDS).flatMap((item): OfferedCommand[] => {
    const command = looseObject(item);
    const name = looseLabel(command?.["name"]);
    if (command === null || name === null) return [];
    const hint = looseLabel(looseObject(command["input"])?.["hint"]);
    return [{ name, description: looseLabel(command["description"]) ?? "", hint }];
  });
}

function update(
  setting: Setting,
  choices: readonly OfferedChoice[],
  current: string | null,
): Setting {
  return {
    ...setting,
    choices: choices.length > 0 ? choices : setting.choices,
    current: current ?? setting.current,
  };
}

/** If several options have the category, the one with the same ID is used. */
function findOption(options: readonly Loose[], category: "mode" | "model"): Loose | null {
  const found = options.filter(
    (option) => option["category"] === category && looseLabel(option["id"]) !== null,
  );
  return found.find(({ id }) => id === category) ?? found[0] ?? null;
}

function toSetting(option: Loose | null): Setting | null {
  return (
    option && {
      name: looseLabel(option["name"]),
      description: looseLabel(option["description"], MAX_DESCRIPTION),
      choices: parseChoices(flatOptions(option["options"]), "value"),
      current: looseLabel(option["currentValue"]),
      option: looseLabel(option["id"]),
    }
  );
}

/** An option of an unknown type cannot be set, and is left out. */
function parseOption(option: Loose): OfferedOption[] {
  const id = looseLabel(option["id"]);
  const { type, currentValue } = option;
  if (id === null || (type !== "select" && type !== "boolean")) return [];
  const value = typeof currentValue === "boolean" ? currentValue : looseLabel(currentValue);
  return [
    {
      id,
      name: looseLabel(option["name"]) ?? id,
      description: looseLabel(option["description"], MAX_DESCRIPTION),
      category: looseLabel(option["category"]),
      type,
      value: (typeof value === "boolean") === (type === "boolean") ? value : null,
      choices: type === "boolean" ? [] : parseChoices(flatOptions(option["options"]), "value"),
    },
  ];
}

/** Options may be in groups. */
function flatOptions(options: unknown): readonly unknown[] {
  return looseList(options).flatMap((item) => {
    const group = looseObject(item)?.["options"];
    return Array.isArray(group) ? looseList(group) : [item];
  });
}

function parseChoices(items: unknown, idKey: string): readonly OfferedChoice[] {
  return looseList(items)
    .slice(0, MAX_CHOICES)
    .flatMap((item): OfferedChoice[] => {
      const choice = looseObject(item);
      const id = looseLabel(choice?.[idKey]);
      if (choice === null || id === null) return [];
      const description = looseLabel(choice["description"], MAX_DESCRIPTION);
      return [{ id, name: looseLabel(choice["name"]) ?? id, description }];
    });
}
