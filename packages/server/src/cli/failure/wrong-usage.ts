import { CommanderError, type Command } from "commander";
import { CommandFailure, EXIT } from "../exit.ts";

/** The words of the command line are wrong. The report names the help of the command. */
export class WrongUsage extends CommandFailure {
  constructor(message: string, options?: { cause: unknown }) {
    super(message, EXIT.usage, options);
  }
}

/** A wrong command line in our words; null for an end that is no error, such as `--help`. */
export function wrongUsageOf(error: CommanderError): WrongUsage | null {
  if (error.exitCode === 0 || error.code === "commander.help") return null;
  const [first = "", ...hints] = error.message.replace(/^error: /u, "").split("\n");
  const name = /'([^']*)'/u.exec(first)?.[1] ?? "";
  const [flag = ""] = name.split(" ");
  const hint = hints.map((text) => ` ${text.replace(/^\((.*)\)$/u, "$1")}`).join("");
  return new WrongUsage(`${sentenceOf(error.code, { first, name, flag })}${hint}`, {
    cause: error,
  });
}

function sentenceOf(
  code: string,
  { first, name, flag }: { readonly first: string; readonly name: string; readonly flag: string },
): string {
  switch (code) {
    case "commander.missingArgument":
      return `The argument ${name.toUpperCase()} is missing.`;
    case "commander.optionMissingArgument":
      return `${flag.replace(",", "")} needs a value.`;
    case "commander.missingMandatoryOptionValue":
      return `${flag} is required.`;
    case "commander.unknownOption":
      return `There is no option ${name}.`;
    case "commander.unknownCommand":
      return `There is no command "${name}".`;
    case "commander.excessArguments":
      return `Unexpected argument: ${first.replace(/^.*?: /u, "").replace(/\.$/u, "")}.`;
    case "commander.conflictingOption":
      return `${first.charAt(0).toUpperCase()}${first.slice(1)}.`;
    default:
      return first;
  }
}

/** The last command that these words name, and how many of them name it. */
export function namedCommand(
  program: Command,
  words: readonly string[],
): { readonly command: Command; readonly depth: number } {
  let command = program;
  for (const [depth, word] of words.entries()) {
    const next = subcommand(command, word);
    if (next === undefined) return { command, depth };
    command = next;
  }
  return { command, depth: words.length };
}

export function subcommand(command: Command, word: string): Command | undefined {
  return command.commands.find((each) => each.name() === word || each.aliases().includes(word));
}

/** `holdfast repos add`. */
export function fullName(command: Command): string {
  return command.parent === null ? command.name() : `${fullName(command.parent)} ${command.name()}`;
}
