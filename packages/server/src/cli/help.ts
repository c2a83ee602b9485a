import { Help, type Command, type HelpConfiguration, type Option } from "commander";

/** Options that most commands have come after the command's own. */
const COMMON = new Set(["--data", "--database", "--url", "--json", "--help"]);
const standard = new Help();

/** How the help of all commands looks. Manual pages use the same. */
export const HELP = {
  sortSubcommands: false,
  styleTitle: (title) => title.toUpperCase(),
  visibleCommands: (command) =>
    standard.visibleCommands(command).filter((each) => each.name() !== "help"),
  visibleOptions: (command) => {
    const options = standard.visibleOptions(command);
    const isCommon = ({ long }: Option): boolean => COMMON.has(long ?? "");
    return [...options.filter((option) => !isCommon(option)), ...options.filter(isCommon)];
  },
  subcommandTerm: (command) => [command.name(), ...argumentTerms(command)].join(" "),
  optionDescription,
} satisfies HelpConfiguration;

export function argumentTerms({ registeredArguments }: Command): readonly string[] {
  return registeredArguments
    .map((argument) => standard.argumentTerm(argument))
    .map((name, index) => {
      const { required, variadic } = registeredArguments[index] ?? {
        required: true,
        variadic: false,
      };
      const dots = variadic ? "..." : "";
      return required ? `<${name}${dots}>` : `[${name}${dots}]`;
    });
}

/** Names the choices and the default, unless the description already does. */
function optionDescription({ description, argChoices = [], defaultValue }: Option): string {
  const isNamed = argChoices.every((choice) => description.includes(choice));
  const choices = isNamed ? "" : `: ${argChoices.slice(0, -1).join(", ")} or ${argChoices.at(-1)}`;
  const given = defaultValue === undefined ? "" : ` (default: ${String(defaultValue)})`;
  return `${description}${choices}${given}`;
}
