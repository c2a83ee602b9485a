import type { AgentCommand, Choice } from "../../provider.ts";
import { looseLabel, looseList, looseObject, type Loose } from "../wire/loose.ts";

/** What an agent has told about itself since it started: what one can choose, and what is chosen. */
export interface AgentAbout {
  readonly commands: readonly AgentCommand[];
  readonly modes: readonly Choice[];
  readonly currentMode: string | null;
  /** The option of `session/set_config_option` that holds the mode; null where only `session/set_mode` sets it. */
  readonly modeOption: string | null;
  readonly models: readonly Choice[];
  readonly currentModel: string | null;
  readonly modelOption: string | null;
}

export const NOTHING_KNOWN: AgentAbout = {
  commands: [],
  modes: [],
  currentMode: null,
  modeOption: null,
  models: [],
  currentModel: null,
  modelOption: null,
};

/** Nearly every update is about something else. */
const TOLD_BY = ["availableCommands", "modes", "currentModeId", "models", "configOptions"];
const MAX_CHOICES = 1_000;
const MAX_COMMANDS = 500;

/**
 * Adds what a part of the protocol tells: the result of `session/new`, `load` or `resume`, the result of
 * `session/set_config_option`, or one of the updates that announce commands, modes and options.
 */
export function learnAbout(about: AgentAbout, told: unknown): AgentAbout {
  const parts = looseObject(told);
  if (parts === null || !TOLD_BY.some((name) => Object.hasOwn(parts, name))) return about;
  return withOptions(withModels(withModes(withCommands(about, parts), parts), parts), parts);
}

function withCommands(about: AgentAbout, { availableCommands }: Loose): AgentAbout {
  if (!Array.isArray(availableCommands)) return about;
  const commands = looseList(availableCommands)
    .slice(0, MAX_COMMANDS)
    .flatMap((item): AgentCommand[] => {
      const command = looseObject(item);
      const name = looseLabel(command?.["name"]);
      if (command === null || name === null) return [];
      const hint = looseLabel(looseObject(command["input"])?.["hint"]);
      return [{ name, description: looseLabel(command["description"]) ?? "", hint }];
    });
  return { ...about, commands };
}

function withModes(about: AgentAbout, { modes, currentModeId }: Loose): AgentAbout {
  const told = looseObject(modes);
  const choices = choicesOf(told?.["availableModes"], "id");
  const current = looseLabel(currentModeId) ?? looseLabel(told?.["currentModeId"]);
  return {
    ...about,
    modes: choices.length > 0 ? choices : about.modes,
    currentMode: current ?? about.currentMode,
  };
}

/** Only older agents list models apart from their options. */
function withModels(about: AgentAbout, { models }: Loose): AgentAbout {
  const told = looseObject(models);
  const choices = choicesOf(told?.["availableModels"], "modelId");
  return {
    ...about,
    models: choices.length > 0 ? choices : about.models,
    currentModel: looseLabel(told?.["currentModelId"]) ?? about.currentModel,
  };
}

function withOptions(about: AgentAbout, { configOptions }: Loose): AgentAbout {
  const mode = findOption(configOptions, "mode");
  const model = findOption(configOptions, "model");
  return {
    ...about,
    ...(mode === null
      ? {}
      : { modes: mode.choices, currentMode: mode.current, modeOption: mode.id }),
    ...(model === null
      ? {}
      : { models: model.choices, currentModel: model.current, modelOption: model.id }),
  };
}

interface ConfigOption {
  readonly id: string;
  readonly current: string | null;
  readonly choices: readonly Choice[];
}

/** Several options can have one category: then the one named like it is meant. */
function findOption(configOptions: unknown, category: "mode" | "model"): ConfigOption | null {
  const options = looseList(configOptions)
    .map(looseObject)
    .filter((option) => option !== null)
    .filter((option) => option["category"] === category && looseLabel(option["id"]) !== null);
  const option = options.find(({ id }) => id === category) ?? options[0];
  const id = looseLabel(option?.["id"]);
  if (option === undefined || id === null) return null;
  return {
    id,
    current: looseLabel(option["currentValue"]),
    choices: choicesOf(flatOptions(option["options"]), "value"),
  };
}

/** Options come plain or in groups. */
function flatOptions(options: unknown): readonly unknown[] {
  return looseList(options).flatMap((item) => {
    const group = looseObject(item)?.["options"];
    return Array.isArray(group) ? looseList(group) : [item];
  });
}

function choicesOf(items: unknown, idKey: string): readonly Choice[] {
  return looseList(items)
    .slice(0, MAX_CHOICES)
    .flatMap((item): Choice[] => {
      const choice = looseObject(item);
      const id = looseLabel(choice?.[idKey]);
      return id === null ? [] : [{ id, name: looseLabel(choice?.["name"]) ?? id }];
    });
}
