import { createReadStream } from "node:fs";
import path from "node:path";
import { finished } from "node:stream/promises";
import type { DatabaseLocation } from "../../packages/server/src/storage/open-store.ts";
import { openBenchFolder, type BenchFolder } from "../bench-folder.ts";
import { fillDatabase, fillMessages } from "../fill-database.ts";
import { sessionId } from "../fill.ts";
import { openSession, openWarmSession, type BenchSession } from "../floor/bench-session.ts";
import { holdfastContender, type Contender, type Running } from "../floor/contender.ts";
import { openConnection, openEvents, requestJson, type Connection } from "../floor/raw-http.ts";
import { timed } from "../floor/request-probes.ts";
import { figuresOf } from "../measure.ts";
import { untilSettled } from "../process-stat.ts";
import { copyProgram } from "../server-process.ts";

/** Cost (p50) of one operation by the number of stored items. */
export interface Curve {
  readonly operation: string;
  readonly points: readonly { readonly size: number; readonly p50Ms: number }[];
}

export interface GrowthFigures {
  readonly bySessions: readonly Curve[];
  readonly byMessages: readonly Curve[];
}

export interface GrowthOptions {
  readonly sessions: readonly number[];
  readonly messages: readonly number[];
  readonly samples: number;
}

/** Measures the same operations over HTTP with more and more sessions, and in longer and longer sessions. */
export async function benchGrowth({
  sessions,
  messages,
  samples,
}: GrowthOptions): Promise<GrowthFigures> {
  const folder = openBenchFolder();
  try {
    const program = copyProgram(folder.newFolder("program"));
    const bySessions = await withSessions(folder, { program, counts: sessions, samples });
    const byMessages = await withMessages(folder, { program, counts: messages, samples });
    return { bySessions, byMessages };
  } finally {
    folder.remove();
  }
}

type SqliteLocation = Extract<DatabaseLocation, { readonly engine: "sqlite" }>;

/** Takes so many samples of an operation. */
type Take = (samples: number) => Promise<readonly number[]>;

/** The same operations for each size. */
interface Sized {
  readonly size: number;
  readonly file: string;
  readonly operations: Readonly<Record<string, Take>>;
}

/** Odd, so that the middle of the samples of a round is not between two rounds of different speed. */
const ROUNDS = 5;

/** All sizes in turns, because the speed of a shared machine changes within minutes. */
async function inTurns(sites: readonly Sized[], samples: number): Promise<readonly Curve[]> {
  const operations = Object.keys(sites[0]?.operations ?? {});
  const curves: Curve[] = [];
  for (const operation of operations) {
    const times = new Map(sites.map(({ size }) => [size, [] as number[]]));
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const { size, file, operations: own } of sites) {
        await keepCached(file);
        const taken = await own[operation]?.(Math.ceil(samples / ROUNDS));
        times.get(size)?.push(...(taken ?? []));
      }
    }
    curves.push({
      operation,
      points: [...times].map(([size, all]) => ({ size, p50Ms: figuresOf(all).p50Ms })),
    });
  }
  return curves;
}

/** Virtual machines may take back the pages of files that are not used for a minute, and then the disk is measured. */
async function keepCached(file: string): Promise<void> {
  await finished(createReadStream(file).resume());
}

async function withSessions(
  folder: BenchFolder,
  { program, counts, samples }: WithCounts,
): Promise<readonly Curve[]> {
  const sites: (Sized & { close(): Promise<void> })[] = [];
  try {
    for (const count of counts) {
      const own = folder.newFolder(`sessions-${count}`);
      const contender = holdfastContender({ folder: own, program });
      const root = path.join(own, "root");
      const location = sqliteOf(contender);
      await fillDatabase(location, { sessions: count, isOpen: true, root });
      sites.push(await openSite(await contender.start(), { file: location.file, count }));
    }
    return await inTurns(sites, samples);
  } finally {
    for (const site of sites) await site.close();
  }
}

/** A server with so many sessions. */
async function openSite(
  running: Running,
  { file, count }: { readonly file: string; readonly count: number },
): Promise<Sized & { close(): Promise<void> }> {
  await keepCached(file);
  await untilSettled(running.pid);
  const connection = await openConnection(running.url);
  const session = await openWarmSession(running);
  const { nextCursor } = await requestJson<{ nextCursor: string }>(connection, {
    path: `/api/sessions?offset=${Math.floor(count / 2)}`,
  });
  let next = 0;
  const some = (): string => sessionId(((next += 1) * 7_919) % count);
  const get = (path: string): Promise<number> => timed(connection, { method: "GET", path });
  const create = (): Promise<number> =>
    timed(connection, { method: "POST", path: "/api/sessions", body: running.newSession });
  /** Writes before each request, because an unchanged list is cached. */
  const list = async (query: string): Promise<number> => {
    await create();
    return get(`/api/sessions${query}`);
  };
  return {
    size: count,
    file,
    operations: {
      create: (samples) => take(samples, create),
      get: (samples) => take(samples, () => get(`/api/sessions/${some()}`)),
      list: (samples) => take(samples, () => list("")),
      "list, far down": (samples) => take(samples, () => list(`?cursor=${nextCursor}`)),
      "should-resume": (samples) =>
        take(samples, () => get(`/api/sessions/${some()}/should-resume`)),
      send: (samples) =>
        take(Math.min(samples, ANSWERS), async () => {
          const { acknowledgedMs } = await session.send("@stamp 1 0");
          return acknowledgedMs;
        }),
    },
    close: async () => {
      session.close();
      connection.close();
      await running.kill();
    },
  };
}

interface WithCounts {
  readonly program: string;
  readonly counts: readonly number[];
  readonly samples: number;
}

const PAGE = 100;
/** In a round. */
const ANSWERS = 20;

async function withMessages(
  folder: BenchFolder,
  { program, counts, samples }: WithCounts,
): Promise<readonly Curve[]> {
  const contender = holdfastContender({ folder: folder.newFolder("messages"), program });
  const location = sqliteOf(contender);
  // Sessions that the server created have an agent of an existing provider; copied ones do not.
  const first = await contender.start();
  const ids: string[] = [];
  for (let index = 0; index < counts.length; index += 1) {
    const session = await openWarmSession(first);
    ids.push(session.id);
    session.close();
  }
  await first.kill();
  for (const [index, count] of counts.entries()) {
    await fillMessages(location, { id: ids[index] ?? "", count });
  }
  const running = await contender.start();
  const sites: (Sized & { close(): void })[] = [];
  try {
    await untilSettled(running.pid);
    for (const [index, count] of counts.entries()) {
      const site = await openLongSession(running, { id: ids[index] ?? "", count });
      sites.push({ ...site, file: location.file });
    }
    return await inTurns(sites, samples);
  } finally {
    for (const site of sites) site.close();
    await running.kill();
  }
}

async function openLongSession(
  running: Running,
  { id, count }: { readonly id: string; readonly count: number },
): Promise<Omit<Sized, "file"> & { close(): void }> {
  const connection = await openConnection(running.url);
  const lastSeq = await lastSeqOf(connection, id);
  const session = await openSession(running, id, { after: lastSeq });
  await session.send("@stamp 1 0");
  const path = `/api/sessions/${id}`;
  const page = (after: number, limit: number): Promise<number> =>
    timed(connection, { method: "GET", path: `${path}/messages?after=${after}&limit=${limit}` });
  return {
    size: count,
    operations: {
      append: (samples) => appends(session, samples),
      "a whole answer": (samples) => take(Math.min(samples, ANSWERS), () => wholeAnswer(session)),
      "last 50": (samples) => take(samples, () => page(Math.max(0, lastSeq - 50), 50)),
      "page of messages": (samples) =>
        take(samples, () => page(Math.max(0, lastSeq - Math.ceil(count / 2)), PAGE)),
      "open a stream": (samples) =>
        take(samples, () => openedMs(running, `${path}/events?after=${lastSeq}`)),
    },
    close: () => {
      session.close();
      connection.close();
    },
  };
}

/** Latencies from agent to client. */
async function appends(session: BenchSession, samples: number): Promise<readonly number[]> {
  session.stamps.length = 0;
  await session.send(`@stamp ${samples} 5`);
  return session.stamps.map((stamp) => Number(stamp.gotAt - stamp.wroteAt) / 1e6);
}

/** From a message to the end of its answer. */
async function wholeAnswer(session: BenchSession): Promise<number> {
  const start = performance.now();
  await session.send("@stamp 1 0");
  return performance.now() - start;
}

async function openedMs({ url }: Running, path: string): Promise<number> {
  const opened = Promise.withResolvers<number>();
  const start = performance.now();
  const reader = await openEvents(url, path, () => opened.resolve(performance.now() - start));
  const tookMs = await opened.promise;
  reader.close();
  return tookMs;
}

function sqliteOf({ location }: Contender): SqliteLocation {
  if (location?.engine !== "sqlite") throw new Error("unreachable: Holdfast is on SQLite here");
  return location;
}

async function lastSeqOf(connection: Connection, id: string): Promise<number> {
  let after = 0;
  for (;;) {
    const { messages, nextAfter } = await requestJson<{
      messages: readonly unknown[];
      nextAfter: number;
    }>(connection, { path: `/api/sessions/${id}/messages?after=${after}` });
    if (messages.length === 0) return after;
    after = nextAfter;
  }
}

/** The first are not counted: the server was idle meanwhile. */
async function take(samples: number, sample: () => Promise<number>): Promise<readonly number[]> {
  const times: number[] = [];
  for (let index = -Math.min(10, samples); index < samples; index += 1) {
    const tookMs = await sample();
    if (index >= 0) times.push(tookMs);
  }
  return times;
}
