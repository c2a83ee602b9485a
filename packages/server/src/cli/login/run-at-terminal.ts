import { spawn } from "node:child_process";
import { homedir } from "node:os";
import type { TerminalProgram } from "../../providers/login.ts";
import { CommandFailure } from "../exit.ts";

/** Runs the agent's own login in this terminal. Nothing that it prints is read or stored. */
export async function runAtTerminal(
  { program, args, env }: TerminalProgram,
  { isQuiet }: { readonly isQuiet: boolean },
): Promise<void> {
  // With --json, stdout is for the result.
  const stdio = ["inherit", isQuiet ? 2 : "inherit", "inherit"] as const;
  const child = spawn(program, args, { cwd: homedir(), env, stdio: [...stdio] });
  const end = await new Promise<string | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      resolve(
        code === 0 ? null : signal === null ? `exited with code ${code}` : `was ended by ${signal}`,
      );
    });
  }).catch((error: Error) => {
    throw new CommandFailure(`${program} cannot be started: ${error.message}`);
  });
  if (end !== null) throw new CommandFailure(`The login ${end}.`);
}
