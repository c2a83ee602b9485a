import type { ScriptedOptions } from "./scripted-options.ts";

/** The mode, the model and the further options of the scripted agent. They are not kept for later processes. */
export interface Settings {
  mode: string | null;
  model: string | null;
  /** The fields of a session that announce them. */
  offers(): object;
  /** False if it does not offer the value. */
  set(id: string, value: unknown): boolean;
  /** The value of an option; undefined if it is not offered now. */
  value(id: string): string | boolean | undefined;
  /** An update that tells the client of a change. */
  announce(id: string): object;
}

export function createSettings({
  modes,
  modesAs = "modes",
  models,
  modelsAs = "config",
  configs = [],
}: ScriptedOptions): Settings {
  const values = new Map(configs.map(({ id, value }) => [id, value]));
  const offered = () =>
    configs.filter(({ onlyWith }) => onlyWith === undefined || onlyWith === settings.model);
  const select = (
    id: string,
    category: string | null,
    choices: readonly string[],
    currentValue: string | boolean | null | undefined,
  ): object => ({
    id,
    name: id,
    ...(category === null ? {} : { category }),
    type: "select",
    currentValue,
    options: choices.map((value) => ({ value, name: value.toUpperCase() })),
  });
  const configOptions = (): readonly object[] => [
    ...(modes !== undefined && modesAs === "config"
      ? [select("mode", "mode", modes, settings.mode)]
      : []),
    ...(models !== undefined && modelsAs === "config"
      ? [select("model", "model", models, settings.model)]
      : []),
    ...offered().map(({ id, choices, category = null }) =>
      choices === undefined
        ? { id, name: id, type: "boolean", currentValue: values.get(id) }
        : select(id, category, choices, values.get(id)),
    ),
  ];
  const settings: Settings = {
    mode: modes?.[0] ?? null,
    model: models?.[0] ?? null,
    offers: () => {
      const config = configOptions();
      return {
        ...(config.length > 0 ? { configOptions: config } : {}),
        ...(modes !== undefined && modesAs === "modes"
          ? {
              modes: {
                currentModeId: settings.mode,
                availableModes: modes.map((mode) => ({ id: mode, name: mode.toUpperCase() })),
              },
            }
          : {}),
        ...(models !== undefined && modelsAs === "legacy"
          ? {
              models: {
                currentModelId: settings.model,
                availableModels: models.map((model) => ({
                  modelId: model,
                  name: model.toUpperCase(),
                })),
              },
            }
          : {}),
      };
    },
    set: (id, value) => {
      if (id === "mode" || id === "model") {
        const known = id === "mode" ? modes : models;
        if (typeof value !== "string" || known?.includes(value) !== true) return false;
        settings[id] = value;
        return true;
      }
      const config = offered().find((each) => each.id === id);
      const isChoice = typeof value === "string" && config?.choices?.includes(value) === true;
      const isSwitch = typeof value === "boolean" && config?.choices === undefined;
      if (config === undefined || !(isChoice || isSwitch)) return false;
      values.set(id, value);
      return true;
    },
    value: (id) => (offered().some((each) => each.id === id) ? values.get(id) : undefined),
    announce: (id) =>
      id === "mode" && modesAs === "modes"
        ? { sessionUpdate: "current_mode_update", currentModeId: settings.mode }
        : { sessionUpdate: "config_option_update", configOptions: configOptions() },
  };
  return settings;
}
