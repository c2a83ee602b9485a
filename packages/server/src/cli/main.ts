import { CommanderError } from "commander";
import { keepFilesPrivate } from "../providers/acp/process/umask.ts";
import { CommandFailure, EXIT } from "./exit.ts";
import { program } from "./program.ts";
import { neutralise } from "./terminal/neutralise.ts";

/** Runs one command line; the exit code is set, never thrown. */
export async function main(argv: readonly string[]): Promise<void> {
  keepFilesPrivate();
  // A reader that closes the pipe early, such as `head`, is no failure.
  process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => {
    process.exit(code === "EPIPE" ? EXIT.done : failedIn(argv));
  });
  try {
    await (await program(argv)).parseAsync([...argv], { from: "user" });
  } catch (error) {
    process.exitCode = await report(error, argv);
  }
}

/** Prints one line to stderr and returns the exit code. Commander has already printed its own errors. */
async function report(error: unknown, argv: readonly string[]): Promise<number> {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  const { message, name } = error instanceof Error ? error : new Error(String(error));
  if (
    name === "HoldfastError" ||
    name === "ConnectionError" ||
    isUnreadable(error) ||
    isNoId(error)
  ) {
    const { failureOf } = await import("./failure/failure.ts");
    const { line, exitCode } = failureOf(error, argv[1] ?? "");
    process.stderr.write(`${line}\n`);
    return exitCode;
  }
  process.stderr.write(`holdfast: ${neutralise(message)}\n`);
  return error instanceof CommandFailure ? error.exitCode : failedIn(argv);
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
