import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createClient, type Client } from "../../packages/client/src/index.ts";
import { calmDeadline } from "../../packages/server/src/domain/testing/calm-clock.ts";
import { BINARY } from "../../bench/server-process.ts";
import { WITNESS_VARIABLE, witnessCommand } from "./account.ts";
import { beginFault, type Fault, type History } from "./history.ts";
import {
  openTcpProxy,
  PASS,
  type LinkMode,
  type TcpProxy,
} from "../../packages/server/src/storage/testing/tcp-proxy.ts";
import { SERVER_TOKEN, TOKEN_ENV } from "../../packages/server/src/http/testing/server-token.ts";

/** A node exits within ten seconds, even if it has work left. */
const STOPPED_WITHIN_MS = 20_000;

export interface NodeOptions {
  readonly name: string;
  readonly port: number;
  /** Contains the data of each node, the repositories and the agents' records. */
  readonly folder: string;
  readonly database: URL;
  readonly history: History;
  readonly env: Readonly<Record<string, string>>;
}

/** One server process with its own proxy to the database. It keeps port, data and proxy across restarts. */
export class ClusterNode {
  readonly name: string;
  readonly url: string;
  readonly client: Client;
  readonly proxy: TcpProxy;
  readonly data: string;
  readonly #options: NodeOptions;
  #child: ChildProcess | null = null;
  #exited: Promise<number | null> = Promise.resolve(null);
  #output = "";
  #endFault: () => void = () => {};

  static async open(options: NodeOptions): Promise<ClusterNode> {
    const { hostname: host, port } = options.database;
    return new ClusterNode(options, await openTcpProxy({ host, port: Number(port) }));
  }

  private constructor(options: NodeOptions, proxy: TcpProxy) {
    this.#options = options;
    this.name = options.name;
    this.url = `http://127.0.0.1:${options.port}`;
    this.client = createClient({ url: this.url, token: SERVER_TOKEN });
    this.proxy = proxy;
    this.data = path.join(options.folder, `data-${options.name}`);
    mkdirSync(this.data, { mode: 0o700 });
    const env = {
      [WITNESS_VARIABLE]: JSON.stringify({
        node: options.name,
        folder: path.join(options.folder, "accounts"),
      }),
    };
    writeFileSync(
      path.join(this.data, "holdfast.config.json"),
      JSON.stringify({
        providers: { scripted: { type: "acp", command: witnessCommand, tools: false, env } },
        defaultProvider: "scripted",
        // Agents write their records into a folder of the test.
        sandbox: "off",
      }),
    );
  }

  get isUp(): boolean {
    return this.#child !== null;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** The last output of the process. */
  get output(): string {
    return this.#output;
  }

  /** Resolves when the node accepts requests. */
  async start(): Promise<void> {
    const { folder, database, port, env } = this.#options;
    const url = new URL(database);
    url.host = `127.0.0.1:${this.proxy.port}`;
    const child = spawn(
      process.execPath,
      [BINARY, "serve", "--data", this.data, "--port", String(port)],
      {
        env: {
          ...withoutSettings(process.env),
          HOLDFAST_DATABASE_URL: url.href,
          HOLDFAST_NODE_NAME: this.name,
          ...TOKEN_ENV,
          AGENT_WORKSPACE_ROOT: path.join(folder, "root"),
          ...env,
        },
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    this.#child = child;
    this.#output = "";
    this.#exited = new Promise((resolve) => {
      child.once("exit", (code) => {
        if (this.#child === child) this.#child = null;
        resolve(code);
      });
    });
    await new Promise<void>((resolve, reject) => {
      for (const stream of [child.stdout, child.stderr]) {
        stream.on("data", (chunk: Buffer) => {
          this.#output = (this.#output + chunk.toString()).slice(-4_096);
          if (this.#output.includes("Stop ")) resolve();
        });
      }
      child.once("exit", (code) =>
        reject(new Error(`node ${this.name} exited with ${code}: ${this.#output}`)),
      );
    });
    this.#endFault();
  }

  /** kill -9. The node stays down until `start`. */
  async kill(): Promise<void> {
    this.#recordFault("kill");
    this.#child?.kill("SIGKILL");
    await this.#exited;
  }

  pause(): void {
    this.#recordFault("pause");
    this.#child?.kill("SIGSTOP");
  }

  resume(): void {
    this.#child?.kill("SIGCONT");
    this.#endFault();
  }

  /** Sends SIGTERM, as a rolling restart does, and resolves to the exit code. */
  async stop(): Promise<number | null> {
    this.#recordFault("stop");
    const { pid } = this;
    this.#child?.kill("SIGTERM");
    const isOver = calmDeadline(STOPPED_WITHIN_MS);
    while (this.#child !== null) {
      if (isOver()) throw new Error(this.#whyNotStopped(pid));
      await Promise.race([this.#exited, pause(200)]);
    }
    return this.#exited;
  }

  #whyNotStopped(pid: number): string {
    const state = /^State:.*$/mu.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[0] ?? "?";
    return `node ${this.name} (${pid}) did not stop within ${STOPPED_WITHIN_MS} ms. ${state}. ${this.#output}`;
  }

  /** Resets all connections to the database. New ones work. */
  cut(): void {
    this.#recordFault("cut");
    this.proxy.cut();
    this.#endFault();
  }

  /** Breaks the connection to the database until `heal`. */
  breakLink(mode: Exclude<LinkMode, { mode: "pass" }>): void {
    this.#recordFault(mode.mode);
    this.proxy.set(mode);
    if (mode.mode === "refuse") this.proxy.cut();
  }

  heal(): void {
    this.proxy.set(PASS);
    this.#endFault();
  }

  async close(): Promise<void> {
    if (this.#child !== null) {
      this.#child.kill("SIGCONT");
      this.#child.kill("SIGKILL");
      await this.#exited;
    }
    await this.proxy.close();
  }

  #recordFault(kind: Fault["kind"]): void {
    this.#endFault = beginFault(this.#options.history, { kind, node: this.name });
  }
}

/** Settings in the environment of the tests must not reach the nodes. */
function withoutSettings(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !/^(HOLDFAST_|AGENT_|NODE_OPTIONS)/u.test(name)),
  );
}
