import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createClient, type Client } from "../packages/client/src/index.ts";
import { say, script, stamp } from "../packages/server/src/providers/testing/script.ts";
import { scriptedCommand } from "../packages/server/src/providers/testing/scripted-provider.ts";
import { fillDatabase } from "./fill-database.ts";
import { figuresOf, type Figures } from "./measure.ts";
import type { Row } from "./report.ts";
import { startServer } from "./server-process.ts";
import { BEARER, SERVER_TOKEN } from "../packages/server/src/http/testing/server-token.ts";

const AGENTS = 20;
const STORED_SESSIONS = 10_000;

/** Measures latency from agent to client with a real server, real agents over stdio and real connections. */
export async function benchStreams({ seconds }: { seconds: number }): Promise<readonly Row[]> {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-bench-"));
  const data = path.join(folder, "data");
  const root = path.join(folder, "root");
  mkdirSync(data, { mode: 0o700 });
  mkdirSync(path.join(root, "repo", ".git"), { recursive: true });
  const providers = { scripted: { type: "acp", command: scriptedCommand } };
  writeFileSync(
    path.join(data, "holdfast.config.json"),
    JSON.stringify({ providers, defaultProvider: "scripted" }),
  );
  await fillDatabase(
    { engine: "sqlite", file: path.join(data, "holdfast.db") },
    {
      sessions: STORED_SESSIONS,
      isOpen: true,
    },
  );
  const env = { AGENT_WORKSPACE_ROOT: root, AGENT_MAX_SESSIONS: String(AGENTS + 5) };
  let server = await startServer(data, env);
  try {
    const sessions = await Sessions.open(server.url);
    await untilSuspended(sessions);
    const answer = await firstAnswer(sessions);
    const many = await stampedStream(sessions, { sessions: AGENTS, perSecond: 50, seconds });
    const crowd = await crowdedStream(sessions, { readers: 1_000, perSecond: 100, seconds: 5 });
    await server.kill();
    server = await startServer(data, env);
    const restart = figuresOf([server.readyMs]);
    return [
      row("first token of the demo agent, with its start", answer, { of: "p50Ms", belowMs: 1_000 }),
      row(`latency agent to client, ${AGENTS} sessions × 50/s`, many, {
        of: "p99Ms",
        belowMs: 150,
      }),
      row("the same to each of 1,000 clients, 100/s", crowd, null),
      row(`ready after kill -9, ${STORED_SESSIONS.toLocaleString("en")} sessions`, restart, {
        of: "p50Ms",
        belowMs: 2_000,
      }),
    ];
  } finally {
    await server.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

function row(name: string, holdfast: Figures, goal: Row["goal"]): Row {
  return { name, holdfast, raw: null, goal };
}

/** Sessions of the server under test, in one repository. */
class Sessions {
  readonly client: Client;
  readonly url: string;
  readonly #repoId: string;

  private constructor(url: string, client: Client, repoId: string) {
    this.url = url;
    this.client = client;
    this.#repoId = repoId;
  }

  static async open(url: string): Promise<Sessions> {
    const client = createClient({ url, token: SERVER_TOKEN });
    const { id } = await client.repos.add({ path: "repo" });
    return new Sessions(url, client, id);
  }

  async create(): Promise<string> {
    return (await this.client.sessions.create({ repoId: this.#repoId })).id;
  }

  /** Creates a session with a live, idle agent. */
  async createWarm(): Promise<string> {
    const id = await this.create();
    await this.client.sessions.send(id, { text: script(say("ready")) });
    await this.untilIdle(id);
    return id;
  }

  async untilIdle(id: string): Promise<void> {
    for await (const { session } of this.client.sessions.follow(id)) {
      if (session.state === "idle" && session.queued === 0) return;
    }
  }
}

/** Waits until the sessions are suspended that were open before a crash. */
async function untilSuspended({ client }: Sessions): Promise<void> {
  while (((await client.readiness()).sessions?.active ?? 0) > 0) await pause(100);
}

async function firstAnswer(sessions: Sessions): Promise<Figures> {
  const times: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const id = await sessions.create();
    const start = performance.now();
    await sessions.client.sessions.send(id, { text: "Hello", provider: "demo" });
    for await (const event of sessions.client.sessions.events(id)) {
      if (event.type !== "message" || event.data.role !== "agent") continue;
      times.push(performance.now() - start);
      break;
    }
    await sessions.client.sessions.delete(id);
  }
  return figuresOf(times);
}

async function stampedStream(
  sessions: Sessions,
  options: { sessions: number; perSecond: number; seconds: number },
): Promise<Figures> {
  const ids = await Promise.all(
    Array.from({ length: options.sessions }, () => sessions.createWarm()),
  );
  const count = options.perSecond * options.seconds;
  const times: number[] = [];
  await Promise.all(
    ids.map(async (id) => {
      const reader = await readStream(`${sessions.url}/api/sessions/${id}/events`);
      const read = latencies(reader, { count, into: times });
      await sessions.client.sessions.send(id, {
        text: script(stamp(count, 1_000 / options.perSecond)),
      });
      await read;
    }),
  );
  for (const id of ids) await sessions.client.sessions.delete(id);
  return figuresOf(times);
}

/** Each stamp contains the time of writing, by the clock that all processes share. */
async function latencies(
  reader: IncomingMessage,
  { count, into }: { readonly count: number; readonly into: number[] },
): Promise<void> {
  let rest = "";
  let received = 0;
  for await (const chunk of reader) {
    const now = process.hrtime.bigint();
    rest += String(chunk);
    const events = rest.split("\n\n");
    rest = events.pop() ?? "";
    for (const event of events) {
      if (!/^event: (delta|message)$/mu.test(event) || !event.includes(":")) continue;
      if (event.includes('"complete":true')) continue;
      for (const [, , nanoseconds] of event.matchAll(/(\d+):(\d{9,}) /gu)) {
        into.push(Number(now - BigInt(nanoseconds ?? 0)) / 1e6);
        received += 1;
      }
    }
    if (received >= count) break;
  }
  reader.destroy();
}

/** Every reader must receive every stamp. Measures the latency of all of them. */
async function crowdedStream(
  sessions: Sessions,
  options: { readers: number; perSecond: number; seconds: number },
): Promise<Figures> {
  const id = await sessions.createWarm();
  const count = options.perSecond * options.seconds;
  const { lastEventId } = await sessions.client.sessions.get(id);
  const url = `${sessions.url}/api/sessions/${id}/events?after=${lastEventId}`;
  const readers: IncomingMessage[] = [];
  while (readers.length < options.readers) {
    readers.push(...(await Promise.all(Array.from({ length: 50 }, () => readStream(url)))));
  }
  const times: number[] = [];
  const reading = readers.map((reader) => latencies(reader, { count, into: times }));
  await sessions.client.sessions.send(id, {
    text: script(stamp(count, 1_000 / options.perSecond)),
  });
  await Promise.all(reading);
  if (times.length < count * options.readers) throw new Error("a reader missed updates");
  await sessions.client.sessions.delete(id);
  return figuresOf(times);
}

function readStream(url: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false, headers: BEARER }, resolve).once("error", reject);
  });
}
