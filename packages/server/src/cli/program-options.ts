import { InvalidArgumentError, Option, type Command } from "commander";
import { DELIVERY_POLICIES } from "../domain/delivery.ts";
import { OUTCOMES, PHASES } from "../domain/phase.ts";
import { FURTHER_CHECKS } from "../domain/should-resume.ts";
import { STATES, STATUSES } from "../domain/status.ts";
import { CommandFailure, EXIT } from "./exit.ts";

export { DELIVERY_POLICIES, FURTHER_CHECKS, OUTCOMES, PHASES, STATES, STATUSES };

/** Options of commands that use the data folder. */
export function withData(command: Command): Command {
  return command
    .option("--data <folder>", "data folder (default: holdfast in the user's data folder)")
    .option(
      "--database <url>",
      "postgres://… or a SQLite file (default: a file in the data folder)",
    );
}

/** Options of commands that use a running server, or the database when none runs. */
export function withServerOptions(command: Command): Command {
  return withData(command)
    .option("--url <url>", "server URL (default: the server using the data folder)")
    .option("--json", "print JSON");
}

/** An option with a fixed set of values, which its help lists. */
export function choice(flags: string, description: string, choices: readonly string[]): Option {
  const option = new Option(flags, description).choices([...choices]);
  return option.argParser(oneOf(option.long ?? flags, choices));
}

/** Parses one of a fixed set of values. The message replaces commander's own. */
export function oneOf<Value extends string>(
  name: string,
  values: readonly Value[],
): (text: string) => Value {
  return (text) => {
    const value = values.find((each) => each === text);
    if (value !== undefined) return value;
    const last = values.at(-1);
    const rest = values.slice(0, -1).join(", ");
    throw new CommandFailure(`${name} must be ${rest} or ${last}, not "${text}".`, EXIT.usage);
  };
}

/** The arguments of `addHelpText` for examples after the options. */
export function examples(...lines: readonly string[]): ["after", string] {
  return ["after", `\nEXAMPLES:\n${lines.map((line) => `  ${line}`).join("\n")}`];
}

/** Loads a command when it runs. A number that it returns is the exit code. */
export function run<Args extends readonly unknown[]>(
  load: () => Promise<(...args: Args) => Promise<number | void>>,
): (...args: Args) => Promise<void> {
  return async (...args) => {
    const exitCode = await (await load())(...args);
    if (typeof exitCode === "number") process.exitCode = exitCode;
  };
}

export const positiveNumber = number("a number greater than 0", (value) => value > 0);
export const notNegative = number("a number, 0 or greater", (value) => value >= 0);

function number(rule: string, isValid: (value: number) => boolean): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (Number.isFinite(value) && isValid(value) && text.trim() !== "") return value;
    throw new InvalidArgumentError(`It must be ${rule}.`);
  };
}

export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/u.test(text)) throw new InvalidArgumentError("It must be a whole number.");
  return Number(text);
}

/** Converts a date or time to ISO 8601. */
export function time(text: string): string {
  const at = Date.parse(text);
  if (Number.isNaN(at))
    throw new InvalidArgumentError(
      "It must be a time, such as 2026-01-31 or 2026-01-31T12:00:00Z.",
    );
  return new Date(at).toISOString();
}

export function listOf(choices: readonly string[]): (text: string) => readonly string[] {
  return (text) => {
    const names = text.split(",").map((name) => name.trim());
    const wrong = names.find((name) => !choices.includes(name));
    if (wrong === undefined) return names;
    throw new InvalidArgumentError(`"${wrong}" is not one of ${choices.join(", ")}.`);
  };
}
