import { CommanderError } from "commander";
import { CommandFailure, EXIT } from "./exit.ts";
import { program } from "./program.ts";
import { neutralise } from "./terminal/neutralise.ts";

/** Runs one command line; the exit code is set, never thrown. */
export async function main(argv: readonly string[]): Promise<void> {
  // Whoever reads no further, as `head` does, wants no more; that is no failure.
  process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => {
    process.exit(code === "EPIPE" ? EXIT.done : failedIn(argv));
  });
  try {
    await (await program(argv)).parseAsync([...argv], { from: "user" });
  } catch (error) {
    process.exitCode = await report(error, argv);
  }
}

/** One line on stderr, and the code to end with. What commander has to say it has said already. */
async function report(error: unknown, argv: readonly string[]): Promise<number> {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  const { message, name } = error instanceof Error ? error : new Error(String(error));
  if (name === "HoldfastError" || name === "ConnectionError" || isUnreadable(error)) {
    const { failureOf } = await import("./terminal/failure.ts");
    const { line, exitCode } = failureOf(error, argv[1] ?? "");
    process.stderr.write(`${line}\n`);
    return exitCode;
  }
  process.stderr.write(`holdfast: ${neutralise(message)}\n`);
  return error instanceof CommandFailure ? error.exitCode : failedIn(argv);
}

/** To whoever calls a hook, the usual code would mean to stop what it was called before. */
function failedIn([command]: readonly string[]): number {
  return command === "hook" ? EXIT.no : EXIT.failed;
}

/** A session that cannot be read, where the database was asked without a server. */
function isUnreadable(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "row_unreadable";
}
