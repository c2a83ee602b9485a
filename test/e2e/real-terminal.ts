import { spawn, spawnSync } from "node:child_process";
import { EventEmitter } from "node:events";
import path from "node:path";
import { need, needProgram } from "../../packages/server/src/domain/testing/machine.ts";

const BINARY = path.resolve(import.meta.dirname, "../../packages/server/bin/holdfast.js");

/** A program of util-linux, which every Linux has. */
export const PSEUDO_TERMINAL = "script";

/** Skips the test without util-linux: `script` of macOS has other arguments. */
export function needTerminal(): void {
  needProgram(PSEUDO_TERMINAL, "bsdutils");
  const { stdout } = spawnSync(PSEUDO_TERMINAL, ["--version"], { encoding: "utf8" });
  need(stdout.includes("util-linux") ? null : "`script` is not the one of util-linux");
}

export interface TerminalCommand {
  /** The output, without the carriage returns of the terminal. */
  readonly screen: () => string;
  /** Resolves when the text appears after the last awaited text. Throws if the command exits without it. */
  readonly shows: (text: string) => Promise<void>;
  readonly type: (keys: string) => void;
  readonly code: Promise<number | null>;
  readonly kill: () => void;
}

/** Runs a command of the built program in a pseudo-terminal, and prints the terminal's settings after it. */
export function inTerminal(
  args: readonly string[],
  /** By default the terminal does not report a width. */
  {
    columns = 0,
    env = {},
  }: { readonly columns?: number; readonly env?: Readonly<Record<string, string>> } = {},
): TerminalCommand {
  // The shell gets Ctrl-C as well, and ignores it.
  const command = `trap : INT; stty cols ${columns}; ${commandOf(args)}; code=$?; stty -a; exit $code`;
  return start(PSEUDO_TERMINAL, ["-qec", command, "/dev/null"], env);
}

/** Runs a command with pipes instead of a terminal. */
export function withoutTerminal(
  args: readonly string[],
): TerminalCommand & { readonly stdout: () => string } {
  return start(process.execPath, [BINARY, ...args]);
}

/** Runs a command after shell commands that prepare it, without AGENT_ and HOLDFAST_ variables. Returns the exit code. */
export function inShell(preparation: string, args: readonly string[]): Promise<number | null> {
  return start("/bin/sh", ["-c", `${preparation}; ${commandOf(args)}`]).code;
}

function commandOf(args: readonly string[]): string {
  return [process.execPath, BINARY, ...args]
    .map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`)
    .join(" ");
}

function start(
  command: string,
  args: readonly string[],
  additions: Readonly<Record<string, string>> = {},
): TerminalCommand & { stdout: () => string } {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(?:HOLDFAST_|AGENT_|NODE_OPTIONS|NO_COLOR|FORCE_COLOR)/u.test(name),
  );
  const env = { ...Object.fromEntries(inherited), SHELL: "/bin/sh", TERM: "xterm", ...additions };
  const child = spawn(command, args, { env });
  const events = new EventEmitter();
  const output = { stdout: "", both: "" };
  let position = 0;
  let hasExited = false;
  const take = (from: "stdout" | "stderr") => {
    let pending = "";
    return (chunk: string) => {
      // A line ending may arrive in two chunks.
      const raw = pending + chunk;
      pending = raw.endsWith("\r") ? "\r" : "";
      const text = raw.slice(0, raw.length - pending.length).replaceAll("\r\n", "\n");
      output.both += text;
      if (from === "stdout") output.stdout += text;
      events.emit("change");
    };
  };
  child.stdout.setEncoding("utf8").on("data", take("stdout"));
  child.stderr.setEncoding("utf8").on("data", take("stderr"));
  const code = new Promise<number | null>((resolve) => {
    child.once("close", (exitCode) => {
      hasExited = true;
      events.emit("change");
      resolve(exitCode);
    });
  });
  return {
    screen: () => output.both,
    stdout: () => output.stdout,
    async shows(text) {
      for (;;) {
        const at = output.both.indexOf(text, position);
        if (at !== -1) return void (position = at + text.length);
        if (hasExited)
          throw new Error(`the command never showed ${JSON.stringify(text)}: ${output.both}`);
        await new Promise((resolve) => events.once("change", resolve));
      }
    },
    type: (keys) => void child.stdin.write(keys),
    code,
    kill: () => void child.kill("SIGKILL"),
  };
}
