import { execFile, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { PSEUDO_TERMINAL } from "../e2e/real-terminal.ts";

const runFile = promisify(execFile);

export interface FreshMachine {
  readonly folder: string;
  /** Runs a command in a subfolder and resolves to what it wrote to stdout. Rejects if it fails. */
  run(subfolder: string, command: readonly string[]): Promise<string>;
  /** Types a command into a terminal, accepts what is suggested with Enter, and resolves to what it shows. */
  inTerminal(subfolder: string, command: string): Promise<string>;
  /** Starts a command and resolves when its stdout contains the text. */
  start(command: readonly string[], text: string): Promise<string>;
  close(): Promise<void>;
}

/** A home folder in which nothing is installed or configured. npm knows one registry and has an empty cache. */
export function openFreshMachine(
  registryUrl: string,
  /** What is installed and set besides. */
  besides: (home: string) => Readonly<Record<string, string>> = () => ({}),
): FreshMachine {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-packages-"));
  const stops: (() => Promise<void>)[] = [];
  const env = {
    HOME: folder,
    PATH: [
      path.join(folder, "global", "bin"),
      path.dirname(process.execPath),
      process.env["PATH"],
    ].join(path.delimiter),
    HOLDFAST_DATA: path.join(folder, "data"),
    npm_config_registry: registryUrl,
    npm_config_prefix: path.join(folder, "global"),
    npm_config_cache: path.join(folder, "cache"),
    npm_config_update_notifier: "false",
    npm_config_audit: "false",
    npm_config_fund: "false",
    npm_config_yes: "true",
    ...besides(folder),
  };
  return {
    folder,
    async run(subfolder, [program = "", ...args]) {
      const cwd = path.join(folder, subfolder);
      mkdirSync(cwd, { recursive: true });
      // Not the synchronous variant: the registry runs in this process.
      const { stdout } = await runFile(program, args, { cwd, env });
      return stdout;
    },
    inTerminal(subfolder, command) {
      const cwd = path.join(folder, subfolder);
      // The program `script` gives it a terminal.
      const child = spawn(PSEUDO_TERMINAL, ["-qec", command, "/dev/null"], {
        cwd,
        env: { ...env, SHELL: "/bin/sh", TERM: "xterm", NO_COLOR: "1" },
      });
      let screen = "";
      let answered = 0;
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        screen += text.replaceAll("\r\n", "\n");
        const questions = screen.split(/^\W*◆/mu).length - 1;
        if (questions <= answered) return;
        answered = questions;
        child.stdin.write("\r");
      });
      return new Promise((resolve, reject) => {
        child.once("error", reject);
        child.once("close", (code) => {
          if (code === 0) resolve(screen);
          else reject(new Error(`${command} exited with ${code}:\n${screen}`));
        });
      });
    },
    start([program = "", ...args], text) {
      const child = spawn(program, args, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
      const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
      stops.push(async () => {
        child.kill("SIGTERM");
        await ended;
      });
      let output = "";
      return new Promise((resolve, reject) => {
        const read = (chunk: string): void => {
          output += chunk;
          if (output.includes(text)) resolve(output);
        };
        child.stdout.setEncoding("utf8").on("data", read);
        child.stderr.setEncoding("utf8").on("data", read);
        child.once("error", reject);
        void ended.then(() => reject(new Error(`${program} ended:\n${output}`)));
      });
    },
    async close() {
      for (const stop of stops) await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
