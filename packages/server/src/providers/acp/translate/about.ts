import type { AgentCommand, Choice } from "../../provider.ts";
import { looseLabel, looseList, looseObject } from "../wire/loose.ts";

/** The commands and settings an agent has announced since it started. */
export interface AgentAbout {
  readonly commands: readonly AgentCommand[];
  readonly mode: Setting;
  readonly model: Setting;
}

interface Setting {
  readonly choices: readonly Choice[];
  readonly current: string | null;
  /** The option for `session/set_config_option`; null if only `session/set_mode` or `session/set_model` sets it. */
  readonly option: string | null;
}

const UNKNOWN: Setting = { choices: [], current: null, option: null };
export const NOTHING_KNOWN: AgentAbout = { commands: [], mode: UNKNOWN, model: UNKNOWN };

/** Nearly all updates have none of these fields. */
const FIELDS = ["availableCommands", "modes", "currentModeId", "models", "configOptions"];
const MAX_CHOICES = 1_000;
const MAX_COMMANDS = 500;

/**
 * Adds the content of a message: the result of `session/new`, `load`, `resume` or `set_config_option`, or an update
 * that announces commands, modes or options.
 */
export function learnAbout(about: AgentAbout, message: unknown): AgentAbout {
  const fields = looseObject(message);
  if (fields === null || !FIELDS.some((name) => Object.hasOwn(fields, name))) return about;
  const { availableCommands, currentModeId, configOptions } = fields;
  const modes = looseObject(fields["modes"]);
  // Only older agents list models outside their options.
  const models = looseObject(fields["models"]);
  return {
    commands: Array.isArray(availableCommands) ? parseCommands(availableCommands) : about.commands,
    mode:
      findOption(configOptions, "mode") ??
      update(
        about.mode,
        parseChoices(modes?.["availableModes"], "id"),
        looseLabel(currentModeId) ?? looseLabel(modes?.["currentModeId"]),
      ),
    model:
      findOption(configOptions, "model") ??
      update(
        about.model,
        parseChoices(models?.["availableModels"], "modelId"),
        looseLabel(models?.["currentModelId"]),
      ),
  };
}

function parseCommands(commands: readonly unknown[]): readonly AgentCommand[] {
  return commands.slice(0, MAX_COMMANDS).flatMap((item): AgentCommand[] => {
    const command = looseObject(item);
    const name = looseLabel(command?.["name"]);
    if (command === null || name === null) return [];
    const hint = looseLabel(looseObject(command["input"])?.["hint"]);
    return [{ name, description: looseLabel(command["description"]) ?? "", hint }];
  });
}

function update(setting: Setting, choices: readonly Choice[], current: string | null): Setting {
  return {
    ...setting,
    choices: choices.length > 0 ? choices : setting.choices,
    current: current ?? setting.current,
  };
}

/** If several options have the category, the one with the same ID is used. */
function findOption(configOptions: unknown, category: "mode" | "model"): Setting | null {
  const options = looseList(configOptions)
    .map(looseObject)
    .filter((option) => option !== null)
    .filter((option) => option["category"] === category && looseLabel(option["id"]) !== null);
  const option = options.find(({ id }) => id === category) ?? options[0];
  if (option === undefined) return null;
  return {
    choices: parseChoices(flatOptions(option["options"]), "value"),
    current: looseLabel(option["currentValue"]),
    option: looseLabel(option["id"]),
  };
}

/** Options may be in groups. */
function flatOptions(options: unknown): readonly unknown[] {
  return looseList(options).flatMap((item) => {
    const group = looseObject(item)?.["options"];
    return Array.isArray(group) ? looseList(group) : [item];
  });
}

function parseChoices(items: unknown, idKey: string): readonly Choice[] {
  return looseList(items)
    .slice(0, MAX_CHOICES)
    .flatMap((item): Choice[] => {
      const choice = looseObject(item);
      const id = looseLabel(choice?.[idKey]);
      return id === null ? [] : [{ id, name: looseLabel(choice?.["name"]) ?? id }];
    });
}
