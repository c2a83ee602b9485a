import { openBenchFolder, type BenchFolder } from "../bench-folder.ts";
import { fillDatabase, fillMessages } from "../fill-database.ts";
import { sessionId } from "../fill.ts";
import { openSession, openWarmSession } from "../floor/bench-session.ts";
import { holdfastContender, type Running } from "../floor/contender.ts";
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

type Costs = Readonly<Record<string, number>>;

/** Measures the same operations over HTTP with more and more sessions, and in longer and longer sessions. */
export async function benchGrowth({
  sessions,
  messages,
  samples,
}: GrowthOptions): Promise<GrowthFigures> {
  const folder = openBenchFolder();
  try {
    const program = copyProgram(folder.newFolder("program"));
    const bySessions = new Map<number, Costs>();
    for (const count of sessions) {
      bySessions.set(count, await withSessions(folder, { program, count, samples }));
    }
    const byMessages = await withMessages(folder, { program, counts: messages, samples });
    return { bySessions: curvesOf(bySessions), byMessages: curvesOf(byMessages) };
  } finally {
    folder.remove();
  }
}

function curvesOf(costs: ReadonlyMap<number, Costs>): readonly Curve[] {
  const operations = Object.keys([...costs.values()][0] ?? {});
  return operations.map((operation) => ({
    operation,
    points: [...costs].map(([size, bySize]) => ({ size, p50Ms: bySize[operation] ?? Number.NaN })),
  }));
}

const SENDS = 30;

async function withSessions(
  folder: BenchFolder,
  { program, count, samples }: Readonly<{ program: string; count: number; samples: number }>,
): Promise<Costs> {
  const contender = holdfastContender({ folder: folder.newFolder(`sessions-${count}`), program });
  if (contender.location !== null) await fillDatabase(contender.location, { sessions: count });
  const running = await contender.start();
  try {
    await untilSettled(running.pid);
    const connection = await openConnection(running.url);
    const some = (index: number): string => sessionId((index * 7_919) % count);
    const get = (path: (index: number) => string): Promise<number> =>
      p50(samples, (index) => timed(connection, { method: "GET", path: path(index) }));
    const create = { method: "POST", path: "/api/sessions", body: running.newSession };
    /** Writes before each request, because an unchanged list is cached. */
    const list = (query: string): Promise<number> =>
      p50(samples, async () => {
        await timed(connection, create);
        return timed(connection, { method: "GET", path: `/api/sessions${query}` });
      });
    const { nextCursor } = await requestJson<{ nextCursor: string }>(connection, {
      path: `/api/sessions?offset=${Math.floor(count / 2)}`,
    });
    const costs = {
      create: await p50(samples, () => timed(connection, create)),
      get: await get((index) => `/api/sessions/${some(index)}`),
      list: await list(""),
      "list, far down": await list(`?cursor=${nextCursor}`),
      "should-resume": await get((index) => `/api/sessions/${some(index)}/should-resume`),
      send: await sends(running),
    };
    connection.close();
    return costs;
  } finally {
    await running.kill();
  }
}

async function sends(running: Running): Promise<number> {
  const session = await openWarmSession(running);
  const times: number[] = [];
  for (let index = 0; index < SENDS; index += 1) {
    const { acknowledgedMs } = await session.send("@stamp 1 0");
    times.push(acknowledgedMs);
  }
  session.close();
  return figuresOf(times).p50Ms;
}

const PAGE = 100;

async function withMessages(
  folder: BenchFolder,
  {
    program,
    counts,
    samples,
  }: Readonly<{ program: string; counts: readonly number[]; samples: number }>,
): Promise<ReadonlyMap<number, Costs>> {
  const contender = holdfastContender({ folder: folder.newFolder("messages"), program });
  const { location } = contender;
  if (location === null) throw new Error("unreachable: Holdfast has a database");
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
  const costs = new Map<number, Costs>();
  try {
    await untilSettled(running.pid);
    for (const [index, count] of counts.entries()) {
      costs.set(count, await costsOf(running, { id: ids[index] ?? "", count, samples }));
    }
  } finally {
    await running.kill();
  }
  return costs;
}

async function costsOf(
  running: Running,
  { id, count, samples }: Readonly<{ id: string; count: number; samples: number }>,
): Promise<Costs> {
  const connection = await openConnection(running.url);
  const lastSeq = await lastSeqOf(connection, id);
  const path = `/api/sessions/${id}`;
  const page = (after: number, limit: number): Promise<number> =>
    p50(samples, () =>
      timed(connection, {
        method: "GET",
        path: `${path}/messages?after=${after}&limit=${limit}`,
      }),
    );
  const costs = {
    ...(await answers(running, { id, lastSeq, samples })),
    "last 50": await page(Math.max(0, lastSeq - 50), 50),
    "page of messages": await page(Math.max(0, lastSeq - Math.ceil(count / 2)), PAGE),
    "open a stream": await p50(samples, () => openedMs(running, `${path}/events?after=${lastSeq}`)),
  };
  connection.close();
  return costs;
}

/** Latency from agent to client, and from a message to the end of its answer. */
async function answers(
  running: Running,
  { id, lastSeq, samples }: Readonly<{ id: string; lastSeq: number; samples: number }>,
): Promise<Costs> {
  const session = await openSession(running, id, { after: lastSeq });
  await session.send("@stamp 1 0");
  session.stamps.length = 0;
  await session.send(`@stamp ${samples} 5`);
  const { stamps } = session;
  const append = figuresOf(stamps.map((stamp) => Number(stamp.gotAt - stamp.wroteAt) / 1e6)).p50Ms;
  const whole = await p50(SENDS, async () => {
    const start = performance.now();
    await session.send("@stamp 1 0");
    return performance.now() - start;
  });
  session.close();
  return { append, "a whole answer": whole };
}

async function openedMs({ url }: Running, path: string): Promise<number> {
  const opened = Promise.withResolvers<number>();
  const start = performance.now();
  const reader = await openEvents(url, path, () => opened.resolve(performance.now() - start));
  const tookMs = await opened.promise;
  reader.close();
  return tookMs;
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

async function p50(samples: number, sample: (index: number) => Promise<number>): Promise<number> {
  const times: number[] = [];
  for (let index = -Math.min(20, samples); index < samples; index += 1) {
    const tookMs = await sample(Math.abs(index));
    if (index >= 0) times.push(tookMs);
  }
  return figuresOf(times).p50Ms;
}
