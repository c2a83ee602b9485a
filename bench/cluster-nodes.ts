import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createClient, type Client } from "../packages/client/src/index.ts";
import { say, script, tell } from "../packages/server/src/providers/testing/script.ts";
import { scriptedCommand } from "../packages/server/src/providers/testing/scripted-provider.ts";
import { startPostgresServer } from "../packages/server/src/storage/testing/postgres-server.ts";
import { startServer, type BenchServer } from "./server-process.ts";
import { SERVER_TOKEN } from "../packages/server/src/http/testing/server-token.ts";

export interface BenchNode {
  readonly name: string;
  readonly url: string;
  readonly client: Client;
  kill(): Promise<void>;
  start(): Promise<void>;
}

export interface WarmSession {
  readonly id: string;
  /** The node of its idle agent. */
  readonly local: BenchNode;
  readonly remote: BenchNode;
}

export interface BenchCluster {
  readonly nodes: readonly BenchNode[];
  readonly databaseUrl: string;
  warmSession(): Promise<WarmSession>;
  close(): Promise<void>;
}

const VARIABLE = "BENCH_NODE";

/** Server processes on one PostgreSQL, without a proxy. */
export async function openBenchCluster(count: number): Promise<BenchCluster> {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-bench-"));
  const root = path.join(folder, "root");
  mkdirSync(path.join(root, "repo", ".git"), { recursive: true });
  const postgres = await startPostgresServer({ durable: true });
  const nodes: BenchNode[] = [];
  const close = async (): Promise<void> => {
    for (const node of nodes) await node.kill();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    for (const name of ["a", "b", "c"].slice(0, count)) {
      nodes.push(await startNode({ name, folder, root, databaseUrl: postgres.url }));
    }
    const [first] = nodes;
    if (first === undefined) throw new Error("no nodes");
    const repo = await first.client.repos.add({ path: "repo" });
    const warmSession = async (): Promise<WarmSession> => {
      const { id } = await first.client.sessions.create({ repoId: repo.id });
      const { run } = await first.client.sessions.send(id, {
        text: script(say("on "), tell("variable", VARIABLE)),
      });
      const answer = await untilEnded(first.client, { id, runId: run.id });
      const local = nodes.find(({ name }) => answer.includes(`node-${name}`));
      const remote = nodes.find((node) => node !== local);
      if (local === undefined || remote === undefined) throw new Error(`no node in: ${answer}`);
      return { id, local, remote };
    };
    return { nodes, databaseUrl: postgres.url, warmSession, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Waits for the end of the run, and returns the agent's last text. `after`: an event before the run. */
export async function untilEnded(
  client: Client,
  { id, runId, after }: { readonly id: string; readonly runId: string; readonly after?: string },
): Promise<string> {
  for await (const event of client.sessions.events(id, after === undefined ? {} : { after })) {
    if (event.type === "run" && event.data.id === runId && event.data.endedAt !== null) break;
  }
  const { messages } = await client.sessions.get(id);
  return String(messages.findLast(({ role }) => role === "agent")?.content["text"]);
}

async function startNode({
  name,
  folder,
  root,
  databaseUrl,
}: {
  readonly name: string;
  readonly folder: string;
  readonly root: string;
  readonly databaseUrl: string;
}): Promise<BenchNode> {
  const data = path.join(folder, `data-${name}`);
  mkdirSync(data, { mode: 0o700 });
  const env = { [VARIABLE]: `node-${name}` };
  writeFileSync(
    path.join(data, "holdfast.config.json"),
    JSON.stringify({
      providers: { scripted: { type: "acp", command: scriptedCommand, tools: false, env } },
      defaultProvider: "scripted",
      sandbox: "off",
    }),
  );
  let server: BenchServer;
  let client: Client;
  const start = async (): Promise<void> => {
    server = await startServer(data, {
      HOLDFAST_DATABASE_URL: databaseUrl,
      HOLDFAST_NODE_NAME: name,
      AGENT_WORKSPACE_ROOT: root,
      AGENT_MAX_SESSIONS: "50",
    });
    client = createClient({ url: server.url, token: SERVER_TOKEN });
  };
  await start();
  return {
    name,
    get url() {
      return server.url;
    },
    get client() {
      return client;
    },
    kill: () => server.kill(),
    start,
  };
}
