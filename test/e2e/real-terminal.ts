import { spawn, spawnSync } from "node:child_process";
import { EventEmitter } from "node:events";
import path from "node:path";
import { need, needProgram } from "../../packages/server/src/domain/testing/machine.ts";

const BINARY = path.resolve(import.meta.dirname, "../../packages/server/bin/holdfast.js");

/** Of util-linux, which every Linux has. */
const PSEUDO_TERMINAL = "script";

/** The one of macOS takes other arguments. */
export function needTerminal(): void {
  needProgram(PSEUDO_TERMINAL, "bsdutils");
  const { stdout } = spawnSync(PSEUDO_TERMINAL, ["--version"], { encoding: "utf8" });
  need(stdout.includes("util-linux") ? null : "`script` is not the one of util-linux");
}

export interface Typed {
  /** What was shown, without the carriage returns of the terminal. */
  readonly screen: () => string;
  /** Resolves when it is shown, after what was waited for before; throws when the command has ended without. */
  readonly shows: (text: string) => Promise<void>;
  readonly type: (keys: string) => void;
  readonly code: Promise<number | null>;
  readonly kill: () => void;
}

/** A command of the built program with a pseudo-terminal of its own, and what the terminal is set to after it. */
export function inTerminal(args: readonly string[]): Typed {
  // The shell gets Ctrl-C as well; what it is pressed for is the command.
  const command = `trap : INT; ${commandOf(args)}; code=$?; stty -a; exit $code`;
  return running(PSEUDO_TERMINAL, ["-qec", command, "/dev/null"]);
}

/** The same command with pipes in place of a terminal. */
export function withoutTerminal(
  args: readonly string[],
): Typed & { readonly stdout: () => string } {
  return running(process.execPath, [BINARY, ...args]);
}

function commandOf(args: readonly string[]): string {
  return [process.execPath, BINARY, ...args]
    .map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`)
    .join(" ");
}

function running(command: string, args: readonly string[]): Typed & { stdout: () => string } {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(?:HOLDFAST_|AGENT_|NODE_OPTIONS|NO_COLOR|FORCE_COLOR)/u.test(name),
  );
  const env = { ...Object.fromEntries(inherited), SHELL: "/bin/sh", TERM: "xterm" };
  const child = spawn(command, args, { env });
  const news = new EventEmitter();
  const said = { stdout: "", both: "" };
  let seen = 0;
  let isOver = false;
  const take = (from: "stdout" | "stderr") => {
    let held = "";
    return (chunk: string) => {
      // The end of a line may come in two pieces.
      const raw = held + chunk;
      held = raw.endsWith("\r") ? "\r" : "";
      const text = raw.slice(0, raw.length - held.length).replaceAll("\r\n", "\n");
      said.both += text;
      if (from === "stdout") said.stdout += text;
      news.emit("news");
    };
  };
  child.stdout.setEncoding("utf8").on("data", take("stdout"));
  child.stderr.setEncoding("utf8").on("data", take("stderr"));
  const code = new Promise<number | null>((resolve) => {
    child.once("close", (ended) => {
      isOver = true;
      news.emit("news");
      resolve(ended);
    });
  });
  return {
    screen: () => said.both,
    stdout: () => said.stdout,
    async shows(text) {
      for (;;) {
        const at = said.both.indexOf(text, seen);
        if (at !== -1) return void (seen = at + text.length);
        if (isOver) throw new Error(`never showed ${JSON.stringify(text)}: ${said.both}`);
        await new Promise((resolve) => news.once("news", resolve));
      }
    },
    type: (keys) => void child.stdin.write(keys),
    code,
    kill: () => void child.kill("SIGKILL"),
  };
}
