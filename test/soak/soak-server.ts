import { fork, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { BINARY } from "../../bench/server-process.ts";
import { createClient, type Client } from "../../packages/client/src/index.ts";
import { MARKER_VARIABLE } from "../../packages/server/src/providers/acp/process/agent-environment.ts";
import { COMPILE_CACHE } from "../machine/compile-cache.ts";
import { markedProcesses } from "../e2e/marked-processes.ts";
import { SERVER_TOKEN, TOKEN_ENV } from "../../packages/server/src/http/testing/server-token.ts";

/** Limit of a session's queue. Small, because each change sends the whole queue to clients. */
const QUEUE = 10;
const STOPPED_WITHIN_MS = 20_000;

/** Figures that only the process itself can measure. The heap is measured after garbage collection. */
export interface InsideFigures {
  readonly heapBytes: number;
  readonly externalBytes: number;
  /** Delay of the event loop since the last request. */
  readonly loopP50Ms: number;
  readonly loopP99Ms: number;
  readonly loopMaxMs: number;
}

/** The built server, as users run it, with a preloaded probe. */
export class SoakServer {
  readonly url: string;
  readonly client: Client;
  readonly database: string;
  readonly #folder: string;
  readonly #child: ChildProcess;
  readonly #exited: Promise<number | null>;
  /** Rejects when the process exits for any reason. */
  readonly ended: Promise<never>;

  static async open({ agents }: { readonly agents: number }): Promise<SoakServer> {
    const folder = mkdtempSync(path.join(tmpdir(), "holdfast-soak-"));
    const data = path.join(folder, "data");
    mkdirSync(data, { mode: 0o700 });
    mkdirSync(path.join(folder, "root", "repo", ".git"), { recursive: true });
    const agent = path.join(import.meta.dirname, "soak-agent.ts");
    const config = {
      sandbox: "off",
      providers: {
        soak: {
          type: "acp",
          command: [process.execPath, "--disable-warning=ExperimentalWarning", agent],
          env: COMPILE_CACHE,
        },
      },
      defaultProvider: "soak",
      limits: { liveAgents: agents, queue: QUEUE },
    };
    writeFileSync(path.join(data, "holdfast.config.json"), JSON.stringify(config));
    const probe = pathToFileURL(path.join(import.meta.dirname, "server-probe.ts")).href;
    const child = fork(BINARY, ["serve", "--data", data, "--port", "0"], {
      execArgv: ["--expose-gc", "--disable-warning=ExperimentalWarning", "--import", probe],
      env: {
        ...withoutSettings(process.env),
        AGENT_WORKSPACE_ROOT: path.join(folder, "root"),
        ...TOKEN_ENV,
      },
      stdio: ["ignore", "pipe", "inherit", "ipc"],
    });
    await new Promise<void>((resolve, reject) => {
      let output = "";
      child.stdout?.on("data", (chunk: Buffer) => {
        output = (output + chunk.toString()).slice(-4_096);
        if (output.includes("Stop ")) resolve();
      });
      child.once("exit", (code) => {
        rmSync(folder, { recursive: true, force: true });
        reject(new Error(`the server exited with ${code}: ${output}`));
      });
    });
    return new SoakServer({ child, folder, data });
  }

  private constructor({
    child,
    folder,
    data,
  }: {
    readonly child: ChildProcess;
    readonly folder: string;
    readonly data: string;
  }) {
    const { url }: { readonly url: string } = JSON.parse(
      readFileSync(path.join(data, "server.json"), "utf8"),
    );
    this.url = url;
    this.client = createClient({ url, token: SERVER_TOKEN });
    this.database = path.join(data, "holdfast.db");
    this.#folder = folder;
    this.#child = child;
    this.#exited = new Promise((resolve) => child.once("exit", resolve));
    this.ended = this.#exited.then((code) => {
      throw new Error(`the server exited with ${code}`);
    });
    this.ended.catch(() => {});
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get isUp(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  inside(): Promise<InsideFigures> {
    return new Promise((resolve) => {
      this.#child.once("message", resolve);
      this.#child.send("figures");
    });
  }

  async addRepository(): Promise<string> {
    return (await this.client.repos.add({ path: "repo" })).id;
  }

  /** Agent processes and their descendants. */
  agents(): readonly number[] {
    return markedProcesses(MARKER_VARIABLE, this.#folder);
  }

  /** Resolves to the exit code, or null if the process had to be killed. */
  async stop(): Promise<number | null> {
    this.#child.kill("SIGTERM");
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), STOPPED_WITHIN_MS);
    const code = await this.#exited;
    clearTimeout(timer);
    return code;
  }

  async close(): Promise<void> {
    if (this.isUp) {
      this.#child.kill("SIGKILL");
      await this.#exited;
    }
    for (const pid of this.agents()) killIfAlive(pid);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function killIfAlive(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has already exited.
  }
}

/** Settings in the environment of the tests must not reach the server. */
function withoutSettings(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !/^(HOLDFAST_|AGENT_|NODE_OPTIONS)/u.test(name)),
  );
}
