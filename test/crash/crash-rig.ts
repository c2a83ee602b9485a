import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { createClient, type Client } from "../../packages/client/src/index.ts";
import { calmDeadline } from "../../packages/server/src/domain/testing/calm-clock.ts";
import { MARKER_VARIABLE } from "../../packages/server/src/providers/acp/process/agent-environment.ts";
import {
  SCRIPTED_VARIABLE,
  type ScriptedOptions,
} from "../../packages/server/src/providers/testing/scripted-options.ts";
import { readHostFile } from "../../packages/server/src/providers/host/host-file.ts";
import {
  fillUp,
  mountMemory,
} from "../../packages/server/src/storage/sqlite/testing/small-disk.ts";
import {
  readAccounts,
  WITNESS_VARIABLE,
  witnessCommand,
  type Sighting,
} from "../cluster/account.ts";
import { markedProcesses } from "../e2e/marked-processes.ts";
import { COMPILE_CACHE } from "../machine/compile-cache.ts";
import { CONTROL_VARIABLE, LOADED, writeControl, type Control } from "./control.ts";
import { MISBEHAVIOURS_AT_START } from "./misbehaviours.ts";
import { freePort } from "../../packages/server/src/storage/testing/free-port.ts";
import { SERVER_TOKEN, TOKEN_ENV } from "../../packages/server/src/http/testing/server-token.ts";

/** A server exits within ten seconds, even if it has work left. */
const STOPPED_WITHIN_MS = 20_000;
const STARTED_WITHIN_MS = 200_000;
/** Longer than a server needs to start again on a busy machine. */
const UNATTENDED_SECONDS = 300;
const DISK_BYTES = 24 * 1024 * 1024;

export interface RigOptions {
  /** Use a small file system that can be filled. */
  readonly smallDisk?: boolean;
  /** Silence after which a run's agent counts as stuck. */
  readonly silentMs?: number;
  /** Agents end with the server. */
  readonly agentsInside?: boolean;
  /** The program to start (default: the sources). */
  readonly program?: string;
}

const SOURCES = path.join(import.meta.dirname, "crash-server.ts");

/** A real server on a real file, with agents that record what they do, and the faults that can be injected. */
export class CrashRig {
  readonly name = "server";
  readonly url: string;
  readonly client: Client;
  readonly data: string;
  readonly silentMs: number;
  readonly #folder: string;
  readonly #port: number;
  readonly #program: string;
  readonly #unmount: () => void;
  #child: ChildProcess | null = null;
  #exited: Promise<number | null> = Promise.resolve(null);
  #output = "";
  #repos = 0;

  static async open(options: RigOptions = {}): Promise<CrashRig> {
    return new CrashRig(await freePort(), options);
  }

  private constructor(port: number, options: RigOptions) {
    const { smallDisk = false, silentMs = 60_000, program = SOURCES } = options;
    const { agentsInside = false } = options;
    this.#port = port;
    this.#program = program;
    this.silentMs = silentMs;
    this.url = `http://127.0.0.1:${port}`;
    this.client = createClient({ url: this.url, token: SERVER_TOKEN });
    this.#folder = mkdtempSync(path.join(tmpdir(), "holdfast-crash-"));
    for (const name of ["root", "accounts"]) mkdirSync(path.join(this.#folder, name));
    const disk = smallDisk ? mountMemory(`size=${DISK_BYTES}`) : null;
    this.#unmount = () => disk?.unmount();
    this.data = path.join(disk?.folder ?? this.#folder, "data");
    mkdirSync(this.data, { mode: 0o700 });
    this.control({});
    const env = {
      [WITNESS_VARIABLE]: JSON.stringify({ node: "server", folder: this.file("accounts") }),
    };
    const agent = { type: "acp", command: witnessCommand, env };
    const config = {
      sandbox: "off",
      providers: { scripted: { ...agent, tools: false }, tooled: agent, ...misbehaving(agent) },
      defaultProvider: "scripted",
      agents: agentsInside ? { host: "inside" } : { unattendedSeconds: UNATTENDED_SECONDS },
      limits: { liveAgents: 40, silentMinutes: silentMs / 60_000 },
    };
    writeFileSync(path.join(this.data, "holdfast.config.json"), JSON.stringify(config));
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

  get database(): string {
    return path.join(this.data, "holdfast.db");
  }

  /** Path in the rig's folder, outside the data and the repositories. */
  file(name: string): string {
    return path.join(this.#folder, name);
  }

  control(control: Partial<Control>): void {
    writeControl(this.file("control.json"), control);
  }

  /** Resolves to false if the server exited before it accepted requests. */
  async start(): Promise<boolean> {
    return this.begin().ready;
  }

  /** Starts the process without waiting until it is ready. */
  begin(): { readonly loaded: Promise<void>; readonly ready: Promise<boolean> } {
    const preload = path.join(import.meta.dirname, "crash-clock.ts");
    const flags = ["--conditions=holdfast-source", "--disable-warning=ExperimentalWarning"];
    const child = spawn(
      process.execPath,
      [...flags, "--import", preload, this.#program, this.data, String(this.#port)],
      {
        env: {
          ...withoutSettings(process.env),
          ...COMPILE_CACHE,
          [CONTROL_VARIABLE]: this.file("control.json"),
          AGENT_WORKSPACE_ROOT: this.file("root"),
          ...TOKEN_ENV,
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
    const loaded = Promise.withResolvers<void>();
    child.once("exit", () => loaded.resolve());
    const ready = new Promise<boolean>((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`the server did not start in time: ${this.#output}`)),
        STARTED_WITHIN_MS,
      );
      const settle = (isReady: boolean): void => {
        clearTimeout(timer);
        resolve(isReady);
      };
      for (const stream of [child.stdout, child.stderr]) {
        stream.on("data", (chunk: Buffer) => {
          this.#output = (this.#output + chunk.toString()).slice(-4_096);
          if (this.#output.includes(LOADED)) loaded.resolve();
          if (this.#output.includes("Stop ")) settle(true);
        });
      }
      child.once("exit", () => settle(false));
    });
    return { loaded: loaded.promise, ready };
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  /** Resolves when the process has exited for any reason. */
  async exited(): Promise<void> {
    await this.#exited;
  }

  async kill(): Promise<void> {
    this.#child?.kill("SIGKILL");
    await this.#exited;
  }

  /** Resolves to the exit code. */
  async stop(): Promise<number | null> {
    this.#child?.kill("SIGTERM");
    const isOver = calmDeadline(STOPPED_WITHIN_MS);
    while (this.#child !== null) {
      if (isOver()) throw new Error(`the server did not stop in time: ${this.#output}`);
      await Promise.race([this.#exited, pause(100)]);
    }
    return this.#exited;
  }

  /** Creates a session in its own repository, which identifies its agents. */
  async createSession(provider: string): Promise<{ readonly id: string; readonly repo: string }> {
    this.#repos += 1;
    const repo = `repo-${this.#repos}`;
    mkdirSync(path.join(this.file("root"), repo, ".git"), { recursive: true });
    const added = await this.client.repos.add({ path: repo });
    const { id } = await this.client.sessions.create({ repoId: added.id, title: repo, provider });
    return { id, repo };
  }

  account(): readonly Sighting[] {
    return readAccounts(this.file("accounts"));
  }

  /** Agent processes and their descendants. */
  agents(): readonly number[] {
    return markedProcesses(MARKER_VARIABLE, this.file("root"));
  }

  killAgents(): number {
    const pids = this.agents();
    for (const pid of pids) killIfAlive(pid);
    return pids.length;
  }

  /** Kills the process that keeps agents alive, if there is one. */
  killHost(): void {
    const host = readHostFile(path.join(this.data, "host"));
    if (host !== null) killIfAlive(host.pid);
  }

  /** Locks the database for writing, as another process would. Returns the unlock function. */
  holdDatabase(): () => void {
    const raw = new DatabaseSync(this.database, { timeout: 100_000 });
    raw.exec("begin immediate");
    return () => {
      raw.exec("rollback");
      raw.close();
    };
  }

  /** Fills the disk completely. Returns a function that frees the space. */
  fillDisk(): () => void {
    const ballast = path.join(this.data, "ballast");
    fillUp(ballast);
    return () => rmSync(ballast);
  }

  async close(): Promise<void> {
    this.#child?.kill("SIGCONT");
    await this.kill();
    this.killAgents();
    this.#unmount();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Providers whose agents misbehave from their start. */
function misbehaving<Agent extends { readonly env: object }>(agent: Agent): object {
  return Object.fromEntries(
    MISBEHAVIOURS_AT_START.map(({ provider, steps }) => {
      const options: ScriptedOptions = { at: { start: steps } };
      const env = { ...agent.env, [SCRIPTED_VARIABLE]: JSON.stringify(options) };
      return [provider, { ...agent, tools: false, env }];
    }),
  );
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
