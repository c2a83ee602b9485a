import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { calmDeadline, calmNow } from "../../packages/server/src/domain/testing/calm-clock.ts";
import { createClient, type Client } from "../../packages/client/src/index.ts";
import type { WholeSession } from "../../packages/protocol/src/index.ts";
import { MARKER_VARIABLE } from "../../packages/server/src/providers/acp/process/agent-environment.ts";
import { flood, say, script, tool } from "../../packages/server/src/providers/testing/script.ts";
import { scriptedCommand } from "../../packages/server/src/providers/testing/scripted-provider.ts";
import { openMigrations, openStore } from "../../packages/server/src/storage/open-store.ts";
import { fillSessions } from "../../bench/fill.ts";
import { markedProcesses } from "../e2e/marked-processes.ts";
import { repeat } from "../../packages/server/src/domain/testing/repeat.ts";
import {
  prepareFolder,
  removeFolder,
  startHoldfast,
  type RunningServer,
} from "../e2e/holdfast-process.ts";
import { freePort } from "../../packages/server/src/storage/testing/free-port.ts";
import { SERVER_TOKEN, TOKEN_ENV } from "../../packages/server/src/http/testing/server-token.ts";

const KILLS = repeat({ short: 4, long: 50 });
const STORED_SESSIONS = repeat({ short: 500, long: 10_000 });
const SESSIONS = repeat({ short: 3, long: 4 });
/** Minimum number of messages per session, however fast the machine is. */
const MESSAGES = 6;
/** A session must settle within this time after the last start, whatever it was doing. */
const SETTLED_WITHIN_MS = 10_000;

let folder: string;
let port: number;
let server: RunningServer;
let client: Client;

beforeAll(async () => {
  const prepared = prepareFolder({
    providers: { scripted: { type: "acp", command: scriptedCommand } },
    defaultProvider: "scripted",
  });
  const { data } = prepared;
  ({ folder } = prepared);
  port = await freePort();
  const file = path.join(data, "holdfast.db");
  await (await openMigrations({ engine: "sqlite", file })).up();
  const store = await openStore({ engine: "sqlite", file }, { clock: Date.now });
  await fillSessions(store, STORED_SESSIONS);
  await store.close();
  client = createClient({ url: `http://127.0.0.1:${port}`, token: SERVER_TOKEN });
  server = await start();
});
afterAll(async () => {
  await server.end("SIGKILL");
  removeFolder(folder);
});

function start(): Promise<RunningServer> {
  return startHoldfast({
    data: path.join(folder, "data"),
    args: ["--port", String(port)],
    env: { AGENT_WORKSPACE_ROOT: path.join(folder, "root"), ...TOKEN_ENV },
  });
}

interface Sender {
  /** IDs of the messages acknowledged so far. */
  readonly acknowledged: readonly string[];
  readonly ended: Promise<void>;
}

/** Sends one message after another, retries each with its idempotency key, and records acknowledged ones. */
function startSending(sessionId: string, stopped: AbortSignal): Sender {
  const acknowledged: string[] = [];
  return { acknowledged, ended: sendUntil(stopped, { sessionId, acknowledged }) };
}

async function sendUntil(
  stopped: AbortSignal,
  { sessionId, acknowledged }: { readonly sessionId: string; readonly acknowledged: string[] },
): Promise<void> {
  for (let n = 0; !stopped.aborted; n += 1) {
    const idempotencyKey = randomUUID();
    const text = `${script(
      say(`message ${n}. `),
      tool({ id: `t${n}`, title: `Look ${n}`, kind: "read", ends: "completed" }),
      flood({ perSecond: 100, seconds: 0.1 + (n % 4) / 10, text: `word${n} ` }),
    )}\nmessage ${n}`;
    for (;;) {
      try {
        const { message, queued } = await client.sessions.send(
          sessionId,
          { text },
          { idempotencyKey, signal: AbortSignal.timeout(60_000) },
        );
        acknowledged.push(message.id);
        if (queued) await pause(400, undefined, { signal: stopped }).catch(() => {});
        break;
      } catch {
        if (stopped.aborted) return;
        await pause(20);
      }
    }
  }
}

interface Observation {
  /** The longest text shown of each message. */
  readonly texts: Map<string, string>;
  last: WholeSession;
}

interface Watcher {
  readonly observation: Observation;
  readonly ended: Promise<void>;
}

/** Follows a session across all restarts of the server, and records everything that was shown. */
async function watch(sessionId: string, signal: AbortSignal): Promise<Watcher> {
  const updates = client.sessions.follow(sessionId, { signal });
  const first = await updates.next();
  if (first.done === true) throw new Error("the session was deleted");
  const observation: Observation = { texts: new Map(), last: first.value.session };
  const read = async (): Promise<void> => {
    for await (const { session } of updates) {
      observation.last = session;
      for (const { id, content } of session.messages.slice(-3)) {
        const text = content["text"];
        if (typeof text !== "string") continue;
        const shown = observation.texts.get(id) ?? "";
        if (text.length >= shown.length) observation.texts.set(id, text);
      }
    }
  };
  return { observation, ended: read() };
}

async function settled(sessionId: string): Promise<WholeSession> {
  const isOver = calmDeadline(60_000);
  for (;;) {
    const session = await client.sessions.get(sessionId);
    if (session.state === "idle" && session.queued === 0) return session;
    if (isOver()) throw new Error(`stuck: ${JSON.stringify(session).slice(0, 2_000)}`);
    await pause(50);
  }
}

describe("a server that is killed repeatedly while agents stream", () => {
  it(`loses no acknowledged message and no word that was shown, in ${KILLS} kills (P1, P3, P4, P5, C5, C7)`, async () => {
    const repos = Array.from({ length: SESSIONS }, (_, index) => `repo-${index}`);
    const ids: string[] = [];
    for (const name of repos) {
      mkdirSync(path.join(folder, "root", name, ".git"), { recursive: true });
      const repo = await client.repos.add({ path: name });
      ids.push((await client.sessions.create({ repoId: repo.id, title: name })).id);
    }
    const sending = new AbortController();
    const watching = new AbortController();
    const watchers = await Promise.all(ids.map((id) => watch(id, watching.signal)));
    const senders = ids.map((id) => startSending(id, sending.signal));

    let restartedAt = 0;
    let calmRestart = 0;
    const shown = (): number =>
      watchers.reduce((sum, { observation }) => sum + observation.texts.size, 0);
    for (let kill = 0; kill < KILLS; kill += 1) {
      const before = shown();
      await expect.poll(shown, { interval: 10 }).toBeGreaterThan(before);
      await pause(Math.random() * 400);
      await server.end("SIGKILL");
      restartedAt = Date.now();
      calmRestart = calmNow();
      server = await start();
    }
    while (activeRunsStartedBefore(restartedAt) > 0) {
      expect(calmNow() - calmRestart).toBeLessThan(SETTLED_WITHIN_MS);
      await pause(50);
    }
    const fewest = (): number =>
      Math.min(...senders.map(({ acknowledged }) => acknowledged.length));
    await expect.poll(fewest).toBeGreaterThanOrEqual(MESSAGES);
    sending.abort();
    await Promise.all(senders.map(({ ended }) => ended));

    const finals = await Promise.all(ids.map(settled));
    const observations = await waitForWatchers(watchers, { finals, watching });

    for (const [index, final] of finals.entries()) {
      const { messages } = final;
      const sent = senders[index]?.acknowledged ?? [];
      expect(sent.length).toBeGreaterThanOrEqual(MESSAGES);
      const userIds = messages.filter(({ role }) => role === "user").map(({ id }) => id);
      expect(userIds.filter((id) => sent.includes(id))).toEqual(sent);
      expect(new Set(userIds).size).toBe(userIds.length);
      const texts = new Map(messages.map(({ id, content }) => [id, content["text"]]));
      for (const [id, shown] of observations[index]?.texts ?? []) {
        expect(String(texts.get(id)).startsWith(shown), `message ${id}`).toBe(true);
      }
      expect(messages.every(({ complete }) => complete)).toBe(true);
      expect(observations[index]?.last).toEqual(final);
    }
    expect(await server.end("SIGTERM")).toMatchObject({ code: 0 });
    expect(markedProcesses(MARKER_VARIABLE, path.join(folder, "root"))).toEqual([]);
    server = await start();
  }, 600_000);
});

/** Counts runs of dead servers that are still marked as active. */
function activeRunsStartedBefore(time: number): number {
  const database = new DatabaseSync(path.join(folder, "data", "holdfast.db"), { readOnly: true });
  const row = database
    .prepare(
      `select count(*) as "count" from "Run" where "status" in ('running', 'suspended') and "startedAt" < ?`,
    )
    .get(time);
  database.close();
  return Number(row?.["count"]);
}

/** Waits until the watchers have caught up with the sessions, then stops them. */
async function waitForWatchers(
  watchers: readonly Watcher[],
  { finals, watching }: { finals: readonly WholeSession[]; watching: AbortController },
): Promise<readonly Observation[]> {
  const isOver = calmDeadline(30_000);
  const isCaughtUp = ({ observation }: Watcher, index: number): boolean =>
    observation.last.lastEventId === finals[index]?.lastEventId;
  while (!watchers.every(isCaughtUp) && !isOver()) await pause(50);
  watching.abort();
  await Promise.all(watchers.map(({ ended }) => ended));
  return watchers.map(({ observation }) => observation);
}
