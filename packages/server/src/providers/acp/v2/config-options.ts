import { looseList, looseObject, type Loose } from "../wire/loose.ts";

/** Config options in the form of version 1: the IDs of options and groups have other names there. */
function optionsOf(configOptions: unknown): readonly unknown[] {
  return looseList(configOptions).map((value) => {
    const option = looseObject(value);
    if (option === null) return value;
    const { configId, options, ...rest } = option;
    return {
      ...rest,
      ...(configId !== undefined && { id: configId }),
      ...(Array.isArray(options) && { options: looseList(options).map(groupOf) }),
    };
  });
}

function groupOf(value: unknown): unknown {
  const group = looseObject(value);
  if (group?.["groupId"] === undefined) return value;
  const { groupId, ...rest } = group;
  return { ...rest, group: groupId };
}

/** The reply to a request, or an update, with its options and commands in the form of version 1. */
export function withOptions(fields: Loose): Loose {
  const { configOptions, availableCommands } = fields;
  return {
    ...fields,
    ...(Array.isArray(configOptions) && { configOptions: optionsOf(configOptions) }),
    ...(Array.isArray(availableCommands) && { availableCommands: commandsOf(availableCommands) }),
  };
}

/** Only commands: future kinds cannot be called like one. */
function commandsOf(commands: readonly unknown[]): readonly unknown[] {
  return commands.filter((command) => {
    const type = looseObject(command)?.["type"];
    return type === undefined || type === "command";
  });
}

/** The option that sets the mode or the model. */
export function settingOf(options: readonly unknown[], category: "mode" | "model"): string | null {
  const ids = options.flatMap((value) => {
    const option = looseObject(value);
    const id = option?.["id"];
    return option?.["category"] === category && typeof id === "string" ? [id] : [];
  });
  return ids.find((id) => id === category) ?? ids[0] ?? null;
}
