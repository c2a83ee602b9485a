import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { vi } from "vitest";

export interface Typed {
  readonly code: number;
  /** What the terminal shows of it. */
  readonly screen: string;
}

export interface TypedShellOptions {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** The screen. A file, because it takes everything at any time, from any number of processes. */
  readonly screenFile: string;
}

/** A shell of a person who types what a page shows. */
export class TypedShell {
  readonly #bash: ChildProcess;
  readonly #screenFile: string;
  #typed = 0;
  readonly #jobs: number[] = [];

  constructor({ folder: cwd, env, screenFile }: TypedShellOptions) {
    const screen = openSync(screenFile, "a");
    const stdio = ["pipe" as const, screen, screen];
    this.#bash = spawn("bash", ["--noprofile", "--norc"], { cwd, env, stdio, detached: true });
    closeSync(screen);
    this.#screenFile = screenFile;
    this.#bash.stdin?.on("error", () => {});
    // As in the shell of a person. A failure inside a pipe counts.
    this.#enter("shopt -s expand_aliases; set -o pipefail");
  }

  /** Types a command and waits for its end. */
  async type(command: string): Promise<Typed> {
    const from = this.#screen().length;
    const mark = `typed-${(this.#typed += 1)}`;
    this.#enter(`${command}\nprintf '\\n${mark} %s\\n' "$?"`);
    const end = new RegExp(`\\n${mark} (\\d+)\\n`, "u");
    await this.#until(command, () => end.test(this.#screen().slice(from)));
    const screen = this.#screen().slice(from);
    return { code: Number(end.exec(screen)?.[1]), screen: screen.replace(end, "") };
  }

  /** Types a command that does not end by itself, waits for what it shows, and ends it as Ctrl-C does. */
  async typeUntil(command: string, shown: RegExp): Promise<void> {
    await this.typeBesides(command, shown);
    await this.type(
      "kill -INT -- -$! 2>/dev/null; kill -TERM -- -$! 2>/dev/null; wait $! 2>/dev/null",
    );
  }

  /** Types a command that goes on, and waits for what it shows. */
  async typeBesides(command: string, shown: RegExp): Promise<void> {
    const from = this.#screen().length;
    // A job of its own, so that a signal reaches all of its processes. Its shell ends after them, so that who waits for it waits for all.
    const { screen } = await this.type(
      `set -m; { trap : TERM; ${withoutComment(command)}\n} < /dev/null & echo job $!; set +m`,
    );
    this.#jobs.push(Number(/job (\d+)/u.exec(screen)?.[1]));
    await this.#until(command, () => shown.test(this.#screen().slice(from)));
  }

  /** Waits until any command has shown this. */
  async untilShown(shown: RegExp): Promise<void> {
    await this.#until(`What shows ${shown}`, () => shown.test(this.#screen()));
  }

  async end(): Promise<void> {
    const { pid, exitCode, signalCode } = this.#bash;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    const exited = once(this.#bash, "exit");
    for (const group of [...this.#jobs, pid]) killGroup(group);
    await exited;
  }

  #enter(line: string): void {
    this.#bash.stdin?.write(`${line}\n`);
  }

  #screen(): string {
    return readFileSync(this.#screenFile, "utf8");
  }

  async #until(command: string, check: () => boolean): Promise<void> {
    await until(check).catch((cause: unknown) => {
      const screen = this.#screen().slice(-8_000);
      throw new Error(`${command} does not end. The terminal shows:\n${screen}`, { cause });
    });
  }
}

/** It may have ended. */
function killGroup(group: number): void {
  try {
    process.kill(-group, "SIGKILL");
  } catch {
    return;
  }
}

/** Only what never happens takes this long. */
export async function until(check: () => boolean | Promise<boolean>): Promise<void> {
  await vi.waitUntil(check, { timeout: 200_000, interval: 20 });
}

function withoutComment(command: string): string {
  return command.replace(/ +# .*$/u, "");
}
