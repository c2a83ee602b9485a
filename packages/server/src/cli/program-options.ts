import { InvalidArgumentError, Option, type Command } from "commander";
import { DELIVERY_POLICIES } from "../domain/delivery.ts";
import { OUTCOMES, PHASES } from "../domain/phase.ts";
import { FURTHER_CHECKS } from "../domain/should-resume.ts";
import { STATES, STATUSES } from "../domain/status.ts";

export { DELIVERY_POLICIES, FURTHER_CHECKS, OUTCOMES, PHASES, STATES, STATUSES };

/** For commands on the data folder itself. */
export function withData(command: Command): Command {
  return command
    .option("--data <folder>", "data folder (default: holdfast in the user's data folder)")
    .option(
      "--database <url>",
      "postgres://… or a SQLite file (default: a file in the data folder)",
    );
}

/** For commands that go through a server where one runs, and straight to the database where none does. */
export function withServerOptions(command: Command): Command {
  return withData(command)
    .option("--url <url>", "server URL (default: the server that uses the database)")
    .option("--json", "as JSON");
}

export function choice(flags: string, description: string, choices: readonly string[]): Option {
  return new Option(flags, description).choices([...choices]);
}

export function examples(...lines: readonly string[]): string {
  return `\nEXAMPLES:\n${lines.map((line) => `  ${line}`).join("\n")}`;
}

export function positiveNumber(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0 || text.trim() === "")
    throw new InvalidArgumentError("It must be a number above 0.");
  return value;
}

/** Nothing yet counts as well: `--hours 0` is everything at rest. */
export function notNegative(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value < 0 || text.trim() === "")
    throw new InvalidArgumentError("It must be a number, 0 or more.");
  return value;
}

export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/u.test(text)) throw new InvalidArgumentError("It must be a whole number.");
  return Number(text);
}

/** A time in words that a date is written in, made ISO. */
export function time(text: string): string {
  const at = Date.parse(text);
  if (Number.isNaN(at))
    throw new InvalidArgumentError(
      "It must be a time, such as 2026-01-31 or 2026-01-31T12:00:00Z.",
    );
  return new Date(at).toISOString();
}

export function listOf(known: readonly string[]): (text: string) => readonly string[] {
  return (text) => {
    const names = text.split(",").map((name) => name.trim());
    const wrong = names.find((name) => !known.includes(name));
    if (wrong === undefined) return names;
    throw new InvalidArgumentError(`"${wrong}" is none of ${known.join(", ")}.`);
  };
}
