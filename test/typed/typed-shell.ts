import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { vi } from "vitest";

export interface Typed {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A shell of a person who types what a page shows. */
export class TypedShell {
  readonly #bash: ChildProcessWithoutNullStreams;
  #stdout = "";
  #stderr = "";
  #typed = 0;
  readonly #jobs: number[] = [];

  constructor({ folder, env }: { readonly folder: string; readonly env: NodeJS.ProcessEnv }) {
    this.#bash = spawn("bash", ["--noprofile", "--norc"], { cwd: folder, env, detached: true });
    this.#bash.stdout.setEncoding("utf8").on("data", (text: string) => (this.#stdout += text));
    this.#bash.stderr.setEncoding("utf8").on("data", (text: string) => (this.#stderr += text));
    this.#bash.stdin.on("error", () => {});
    // As in the shell of a person. A failure inside a pipe counts.
    this.#bash.stdin.write("shopt -s expand_aliases; set -o pipefail\n");
  }

  /** Types a command and waits for its end. */
  async type(command: string): Promise<Typed> {
    const [from, fromError] = [this.#stdout.length, this.#stderr.length];
    const mark = `typed-${(this.#typed += 1)}`;
    this.#bash.stdin.write(`${command}\nprintf '\\n${mark} %s\\n' "$?"; echo ${mark} >&2\n`);
    const end = new RegExp(`\\n${mark} (\\d+)\\n`, "u");
    await this.#until(command, () => end.test(this.#stdout.slice(from)));
    await this.#until(command, () => this.#stderr.slice(fromError).includes(mark));
    const stdout = this.#stdout.slice(from);
    return {
      code: Number(end.exec(stdout)?.[1]),
      stdout: stdout.replace(end, ""),
      stderr: this.#stderr.slice(fromError).replace(`${mark}\n`, ""),
    };
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
    const from = this.#stdout.length;
    // A job of its own, so that a signal reaches all of its processes.
    const { stdout } = await this.type(
      `set -m; { ${withoutComment(command)}\n} < /dev/null & echo job $!; set +m`,
    );
    this.#jobs.push(Number(/job (\d+)/u.exec(stdout)?.[1]));
    await this.#until(command, () => shown.test(this.#stdout.slice(from)));
  }

  async #until(command: string, check: () => boolean): Promise<void> {
    await until(check).catch((cause: unknown) => {
      const screen = `${this.#stdout.slice(-4_000)}\n${this.#stderr.slice(-4_000)}`;
      throw new Error(`${command} does not end. The terminal shows:\n${screen}`, { cause });
    });
  }

  async end(): Promise<void> {
    const { pid, exitCode, signalCode } = this.#bash;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    const exited = once(this.#bash, "exit");
    for (const group of [...this.#jobs, pid]) killGroup(group);
    await exited;
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
