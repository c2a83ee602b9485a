import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { getPriority } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { DatabaseLocation } from "../../packages/server/src/storage/open-store.ts";
import { requestJson, openConnection, type Headers } from "./raw-http.ts";
import { freePort } from "../../packages/server/src/storage/testing/free-port.ts";
import { TOKEN_ENV } from "../../packages/server/src/http/testing/server-token.ts";

/** A server in the comparison, with its own folder. */
export interface Contender {
  /** `floor`, or a variant of Holdfast. */
  readonly name: string;
  readonly folder: string;
  /** Location of Holdfast's database; null for the floor. */
  readonly location: DatabaseLocation | null;
  /** First process of the PostgreSQL of its database; null if the server itself is the database. */
  readonly databasePid: number | null;
  /** Sends the first request again and again until it succeeds. */
  start(first?: FirstRequest): Promise<Running>;
  /** The server, and its agent host if that runs. */
  processes(running: Running): Promise<readonly number[]>;
  /** Path for reading the newest 50 messages of a session. */
  lastMessages(sessionId: string, lastSeq: number): string;
}

export interface Running {
  readonly url: string;
  readonly pid: number;
  /** Time from the start of the process until the first request succeeded. */
  readonly answeredMs: number;
  /** Body of a request that creates a session. */
  readonly newSession: Readonly<Record<string, unknown>>;
  kill(signal?: NodeJS.Signals): Promise<void>;
}

export interface FirstRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Headers;
}

const IS_HEALTHY: FirstRequest = { method: "GET", path: "/healthz" };

export interface ContenderOptions {
  readonly folder: string;
  readonly name?: string;
  /** Path of the copy of Holdfast. */
  readonly program: string;
  readonly sandbox?: "off" | "auto";
  /** Where agents live (default: that of Holdfast). */
  readonly agentHost?: "inside" | "outside";
  /** PostgreSQL instead of SQLite in the data folder. */
  readonly postgresUrl?: string;
  readonly databasePid?: number;
  /** Arguments for Node, before the program. */
  readonly nodeArgs?: readonly string[];
}

/** Strips types beforehand, so that the floor, like Holdfast, starts without a compiler. */
export function preparePrograms(folder: string): {
  readonly server: string;
  readonly agent: string;
} {
  const program = (name: string, ending: "cjs" | "mjs"): string => {
    const source = readFileSync(path.join(import.meta.dirname, `${name}.ts`), "utf8");
    const file = path.join(folder, `${name}.${ending}`);
    writeFileSync(file, stripTypeScriptTypes(source));
    return file;
  };
  return { server: program("floor-server", "cjs"), agent: program("bench-agent", "mjs") };
}

/** The agent sets the benchmark's priority itself, because its own process session does not inherit it. */
export function agentCommand(program: string): readonly [string, ...string[]] {
  const priority = getPriority();
  return [process.execPath, program, ...(priority < 0 ? [String(priority)] : [])];
}

export function floorContender({
  folder,
  nodeArgs = [],
}: Pick<ContenderOptions, "folder" | "nodeArgs">): Contender {
  const { server, agent } = preparePrograms(folder);
  return {
    name: "floor",
    folder,
    location: null,
    databasePid: null,
    lastMessages: (id) => `/api/sessions/${id}/messages`,
    processes: async ({ pid }) => [pid],
    start: async (first = IS_HEALTHY) => {
      const port = await freePort();
      const file = path.join(folder, "floor.db");
      const args = [...nodeArgs, server, file, String(port), ...agentCommand(agent)];
      const running = await launch(args, { port, env: {}, first });
      return { ...running, newSession: NEW_SESSION };
    },
  };
}

export function holdfastContender(options: ContenderOptions): Contender {
  const {
    folder,
    program,
    name = "holdfast",
    sandbox = "off",
    agentHost,
    postgresUrl,
    databasePid = null,
    nodeArgs = [],
  } = options;
  const { agent } = preparePrograms(folder);
  const data = path.join(folder, "data");
  const root = path.join(folder, "root");
  mkdirSync(data, { mode: 0o700, recursive: true });
  mkdirSync(path.join(root, "repo", ".git"), { recursive: true });
  const location: DatabaseLocation =
    postgresUrl === undefined
      ? { engine: "sqlite", file: path.join(data, "holdfast.db") }
      : { engine: "postgres", url: postgresUrl };
  const config = {
    providers: { bench: { type: "acp", command: agentCommand(agent) } },
    defaultProvider: "bench",
    sandbox,
    ...(agentHost !== undefined && { agents: { host: agentHost } }),
  };
  writeFileSync(path.join(data, "holdfast.config.json"), JSON.stringify(config));
  let repoId: string | null = null;
  return {
    name,
    folder,
    location,
    databasePid,
    lastMessages: (id, lastSeq) =>
      `/api/sessions/${id}/messages?after=${lastSeq - LAST_MESSAGES}&limit=${LAST_MESSAGES}`,
    processes: async ({ url, pid }) => {
      const hostPid = await agentHostOf(url);
      return hostPid === null ? [pid] : [pid, hostPid];
    },
    start: async (first = IS_HEALTHY) => {
      const port = await freePort();
      const args = [...nodeArgs, program, "serve", "--data", data, "--port", String(port)];
      const database = postgresUrl === undefined ? {} : { HOLDFAST_DATABASE_URL: postgresUrl };
      const env = {
        AGENT_WORKSPACE_ROOT: root,
        AGENT_MAX_SESSIONS: "50",
        // Otherwise a start would take the code of whatever the machine last ran.
        NODE_COMPILE_CACHE: path.join(folder, "compiled"),
        ...TOKEN_ENV,
        ...database,
      };
      const running = await launch(args, { port, env, first });
      // Later servers on the same data stay idle.
      repoId ??= await repositoryOf(running.url);
      return { ...running, newSession: { ...NEW_SESSION, repoId } };
    },
  };
}

const LAST_MESSAGES = 50;
const NEW_SESSION = {
  title: "A session of the benchmark",
  metadata: { task_id: "T1", tags: ["terraform", "infrastructure"] },
};

async function repositoryOf(url: string): Promise<string> {
  const connection = await openConnection(url);
  const { id } = await requestJson<{ readonly id: string }>(connection, {
    method: "POST",
    path: "/api/repos",
    body: { path: "repo" },
  });
  connection.close();
  return id;
}

async function agentHostOf(url: string): Promise<number | null> {
  const connection = await openConnection(url);
  const { agentHost } = await requestJson<{
    readonly agentHost: { readonly pid: number | null };
  }>(connection, { path: "/readyz" });
  connection.close();
  return agentHost.pid;
}

async function launch(
  args: readonly string[],
  {
    port,
    env,
    first,
  }: {
    readonly port: number;
    readonly env: Readonly<Record<string, string>>;
    readonly first: FirstRequest;
  },
): Promise<Omit<Running, "newSession">> {
  const url = `http://127.0.0.1:${port}`;
  const start = performance.now();
  const child = spawn(process.execPath, [...args], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  await untilAnswered(url, { child, first });
  return {
    url,
    pid: child.pid ?? 0,
    answeredMs: performance.now() - start,
    kill: (signal = "SIGKILL") => {
      child.kill(signal);
      return exited;
    },
  };
}

/** Sends a request to a server that starts, again and again until it succeeds. */
export async function untilAnswered(
  url: string,
  {
    child,
    first: { method, path: resource, body, headers },
  }: { readonly child: ChildProcess; readonly first: FirstRequest },
): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`a server exited with ${child.exitCode}`);
    try {
      const connection = await openConnection(url);
      const { status } = await connection.request(method, resource, body, headers);
      connection.close();
      if (status < 300) return;
    } catch {
      // It does not listen yet.
    }
    await pause(2);
  }
}
