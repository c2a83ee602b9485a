import { CommanderError, type Command } from "commander";
import { keepFilesPrivate } from "../providers/acp/process/umask.ts";
import { CommandFailure, EXIT } from "./exit.ts";
import { fullName, namedCommand, WrongUsage, wrongUsageOf } from "./failure/wrong-usage.ts";
import { commandFirst } from "./options-first.ts";
import { program } from "./program.ts";
import { neutralise, neutraliseLine } from "./terminal/neutralise.ts";

/** Typed alone by a person, `holdfast` starts the server, or finds it, and opens its page. */
const ALONE = ["up", "--open"];

/** Runs one command line; the exit code is set, never thrown. */
export async function main(typed: readonly string[]): Promise<void> {
  const argv = typed.length === 0 && isPerson() ? ALONE : typed;
  keepFilesPrivate();
  const holdfast = await program(argv);
  const words = commandFirst(holdfast, argv);
  // A reader that closes the pipe early, such as `head`, is no failure.
  process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => {
    process.exit(code === "EPIPE" ? EXIT.done : failedIn(words));
  });
  let sessionId = "";
  holdfast.hook("preAction", (_, { args: [first] }) => void (sessionId = first ?? ""));
  try {
    await holdfast.parseAsync([...words], { from: "user" });
  } catch (error) {
    process.exitCode = await report(error, { holdfast, words, sessionId });
  }
}

function isPerson(): boolean {
  return process.stdin.isTTY && process.stdout.isTTY;
}

interface FailedCommand {
  readonly holdfast: Command;
  readonly words: readonly string[];
  /** The first argument, which is the session in commands that have one. */
  readonly sessionId: string;
}

/** Prints one line to stderr and returns the exit code. */
async function report(error: unknown, failed: FailedCommand): Promise<number> {
  const { holdfast, words, sessionId } = failed;
  if (error instanceof CommanderError) {
    const wrong = wrongUsageOf(error);
    if (wrong !== null) return report(wrong, failed);
    return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  }
  const { message, name } = error instanceof Error ? error : new Error(String(error));
  if (
    name === "HoldfastError" ||
    name === "ConnectionError" ||
    isUnreadable(error) ||
    isNoId(error)
  ) {
    const { failureOf } = await import("./failure/failure.ts");
    const { line, exitCode } = failureOf(error, sessionId);
    process.stderr.write(`${line}\n`);
    return exitCode;
  }
  if (error instanceof WrongUsage) {
    const { commandLine } = await import("./terminal/invocation.ts");
    const name = fullName(namedCommand(holdfast, words).command);
    const help = commandLine(`${name} --help`.replace("holdfast ", ""));
    process.stderr.write(`holdfast: ${neutraliseLine(message)} See: ${help}\n`);
    return error.exitCode;
  }
  process.stderr.write(`holdfast: ${neutralise(message)}\n`);
  return error instanceof CommandFailure ? error.exitCode : failedIn(words);
}

/** Callers of a hook read exit code 2 as "block", so a failed hook ends with 1. */
function failedIn([command]: readonly string[]): number {
  return command === "hook" ? EXIT.no : EXIT.failed;
}

/** The client refuses an ID that cannot be part of an address. */
function isNoId(error: unknown): boolean {
  return error instanceof TypeError && error.message.startsWith("Not an id");
}

/** A session row that cannot be read, on the database without a server. */
function isUnreadable(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "row_unreadable";
}
