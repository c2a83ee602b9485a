import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { getPriority } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { DatabaseLocation } from "../../packages/server/src/storage/open-store.ts";
import { ask, openConnection } from "./raw-http.ts";
import { freePort } from "../../packages/server/src/storage/testing/free-port.ts";

/** One of those that are compared: how its process is started on a folder of its own. */
export interface Contender {
  /** `floor`, or Holdfast in one of its forms. */
  readonly name: string;
  readonly folder: string;
  /** Of Holdfast's database; the floor has its own. */
  readonly location: DatabaseLocation | null;
  start(): Promise<Running>;
  /** Where the newest 50 messages of a session are read. */
  lastMessages(sessionId: string, lastSeq: number): string;
}

export interface Running {
  readonly url: string;
  readonly pid: number;
  /** From the start of the process until it answered that it is healthy. */
  readonly healthyMs: number;
  /** What a session is created with. */
  readonly newSession: Readonly<Record<string, unknown>>;
  kill(): Promise<void>;
}

export interface ContenderOptions {
  readonly folder: string;
  readonly name?: string;
  /** Where the copy of Holdfast is. */
  readonly program: string;
  readonly sandbox?: "off" | "auto";
  /** A database instead of SQLite in the data folder. */
  readonly postgresUrl?: string;
  /** For Node, before the program. */
  readonly nodeArgs?: readonly string[];
}

/** TypeScript is taken off beforehand: the floor has no compiler in its start, as Holdfast has none. */
function preparePrograms(folder: string): {
  readonly server: string;
  readonly agent: string;
} {
  const program = (name: string): string => {
    const source = readFileSync(path.join(import.meta.dirname, `${name}.ts`), "utf8");
    const file = path.join(folder, `${name}.mjs`);
    writeFileSync(file, stripTypeScriptTypes(source));
    return file;
  };
  return { server: program("floor-server"), agent: program("bench-agent") };
}

/** The agent takes the benchmark's priority by itself: a session of its own does not inherit it. */
function agentCommand(program: string): readonly string[] {
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
    lastMessages: (id) => `/api/sessions/${id}/messages`,
    start: async () => {
      const port = await freePort();
      const file = path.join(folder, "floor.db");
      const args = [...nodeArgs, server, file, String(port), ...agentCommand(agent)];
      const running = await launch(args, { port, env: {} });
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
    postgresUrl,
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
  const provider = { type: "acp", command: agentCommand(agent) };
  writeFileSync(
    path.join(data, "holdfast.config.json"),
    JSON.stringify({ providers: { bench: provider }, defaultProvider: "bench", sandbox }),
  );
  return {
    name,
    folder,
    location,
    lastMessages: (id, lastSeq) =>
      `/api/sessions/${id}/messages?after=${lastSeq - LAST_MESSAGES}&limit=${LAST_MESSAGES}`,
    start: async () => {
      const port = await freePort();
      const args = [...nodeArgs, program, "serve", "--data", data, "--port", String(port)];
      const database = postgresUrl === undefined ? {} : { HOLDFAST_DATABASE_URL: postgresUrl };
      const env = { AGENT_WORKSPACE_ROOT: root, AGENT_MAX_SESSIONS: "50", ...database };
      const running = await launch(args, { port, env });
      return {
        ...running,
        newSession: { ...NEW_SESSION, repoId: await repositoryOf(running.url) },
      };
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
  const { id } = await ask<{ readonly id: string }>(connection, {
    method: "POST",
    path: "/api/repos",
    body: { path: "repo" },
  });
  connection.close();
  return id;
}

async function launch(
  args: readonly string[],
  { port, env }: { readonly port: number; readonly env: Readonly<Record<string, string>> },
): Promise<Omit<Running, "newSession">> {
  const url = `http://127.0.0.1:${port}`;
  const start = performance.now();
  const child = spawn(process.execPath, [...args], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  await untilHealthy(url, child);
  return {
    url,
    pid: child.pid ?? 0,
    healthyMs: performance.now() - start,
    kill: async () => {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

async function untilHealthy(url: string, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`a server ended with ${child.exitCode}`);
    try {
      const connection = await openConnection(url);
      const { status } = await connection.request("GET", "/healthz");
      connection.close();
      if (status === 200) return;
    } catch {
      await pause(2);
    }
  }
}
