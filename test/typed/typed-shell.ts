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
    await until(() => end.test(this.#stdout.slice(from)));
    await until(() => this.#stderr.slice(fromError).includes(mark));
    const stdout = this.#stdout.slice(from);
    return {
      code: Number(end.exec(stdout)?.[1]),
      stdout: stdout.replace(end, ""),
      stderr: this.#stderr.slice(fromError).replace(`${mark}\n`, ""),
    };
  }

  /** Types a command that does not end by itself, waits for what it shows, and ends it as Ctrl-C does. */
  async typeUntil(command: string, shown: RegExp): Promise<Typed> {
    const from = this.#stdout.length;
    const fromError = this.#stderr.length;
    // A job of its own, so that a signal reaches all of its processes.
    await this.type(`set -m; { ${withoutComment(command)}\n} & set +m`);
    await until(() => shown.test(this.#stdout.slice(from)));
    const output = { stdout: this.#stdout.slice(from), stderr: this.#stderr.slice(fromError) };
    await this.type(
      "kill -INT -- -$! 2>/dev/null; kill -TERM -- -$! 2>/dev/null; wait $! 2>/dev/null",
    );
    return { code: 0, ...output };
  }

  async end(): Promise<void> {
    const { pid, exitCode, signalCode } = this.#bash;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    const exited = once(this.#bash, "exit");
    process.kill(-pid, "SIGKILL");
    await exited;
  }
}

/** Only what never happens takes this long. */
export async function until(check: () => boolean | Promise<boolean>): Promise<void> {
  await vi.waitUntil(check, { timeout: 200_000, interval: 20 });
}

function withoutComment(command: string): string {
  return command.replace(/ +# .*$/u, "");
}
