import type { FirstRequest } from "../floor/contender.ts";
import { openConnection, openEvents, type Connection } from "../floor/raw-http.ts";
import { percentileOf } from "../measure.ts";
import type { PeerReadings } from "./measures.ts";
import type { Peer, PeerServer } from "./peer.ts";
import { openPeerSession, openWarmPeerSession, splitEvents, stampsIn } from "./peer-session.ts";

export interface Amounts {
  readonly creates: number;
  readonly turns: number;
  readonly cpuTurns: number;
  readonly pieces: number;
  readonly reads: number;
  /** Messages of the long conversation, if there are so many after a minute. */
  readonly messages: number;
}

const CONCURRENT = 32;
const WARM_UP = 20;
/** Programs that are slow create and answer less. */
const SECONDS = 10;
const LONG_SECONDS = 60;

const median = (values: readonly number[]): number => percentileOf(values, 0.5);
const until = (seconds: number): number => performance.now() + seconds * 1_000;

export async function probeCreation(
  server: PeerServer,
  { creates }: Amounts,
): Promise<PeerReadings> {
  const connection = await openConnection(server.url);
  for (let index = 0; index < WARM_UP; index += 1) await timed(connection, server.newSession());
  const times: number[] = [];
  const lastStart = until(SECONDS);
  while (times.length < creates && performance.now() < lastStart) {
    times.push(await timed(connection, server.newSession()));
  }
  connection.close();
  return { createInRow: median(times), createRate: await createRate(server, creates * 3) };
}

async function createRate(server: PeerServer, creates: number): Promise<number> {
  const connections = await Promise.all(
    Array.from({ length: CONCURRENT }, () => openConnection(server.url)),
  );
  let left = creates;
  let done = 0;
  const start = performance.now();
  const lastStart = until(SECONDS);
  await Promise.all(
    connections.map(async (connection) => {
      for (left -= 1; left >= 0 && performance.now() < lastStart; left -= 1) {
        await timed(connection, server.newSession());
        done += 1;
      }
      connection.close();
    }),
  );
  return done / ((performance.now() - start) / 1_000);
}

/** So that a first token is not shown together with the end of its turn. */
const APART_MS = 50;

export async function probeTurns(server: PeerServer, amounts: Amounts): Promise<PeerReadings> {
  const session = await openWarmPeerSession(server);
  const [toAgent, firstToken, endOfTurn]: [number[], number[], number[]] = [[], [], []];
  for (let index = 0; index < amounts.turns; index += 1) {
    session.stamps.length = 0;
    const { sentAt, readAt, endedAt } = await session.turn(`@stamp 2 ${APART_MS}`);
    const [first, last] = session.stamps;
    if (first === undefined || last === undefined) throw new Error("a turn had too little text");
    toAgent.push(msBetween(sentAt, readAt));
    firstToken.push(msBetween(first.wroteAt, first.gotAt));
    endOfTurn.push(msBetween(last.wroteAt, endedAt));
  }
  for (let index = 0; index < WARM_UP; index += 1) await session.turn("@one");
  const before = await server.cpuMs();
  for (let index = 0; index < amounts.cpuTurns; index += 1) await session.turn("@one");
  const turnCpu = ((await server.cpuMs()) - before) / amounts.cpuTurns;
  session.close();
  await server.close(session.id);
  return {
    toAgent: median(toAgent),
    firstToken: median(firstToken),
    endOfTurn: median(endOfTurn),
    turnCpu,
  };
}

const LAST = "all-sent";

/** Counts the pieces after the measurement. */
export async function probePieces(server: PeerServer, { pieces }: Amounts): Promise<PeerReadings> {
  const { id, close } = await openWarmPeerSession(server);
  close();
  const got: Buffer[] = [];
  const finished = Promise.withResolvers<number>();
  let tail: Buffer = Buffer.alloc(0);
  const reader = await openEvents(
    server.url,
    server.events(id),
    (bytes) => {
      got.push(bytes);
      if (Buffer.concat([tail, bytes]).includes(LAST)) finished.resolve(performance.now());
      tail = bytes.subarray(-LAST.length);
    },
    server.headers,
  );
  const connection = await openConnection(server.url);
  const late = setTimeout(() => finished.reject(new Error("the last piece did not come")), 60_000);
  const start = performance.now();
  await timed(connection, server.message(id, `@flood ${pieces}`));
  const end = await finished.promise;
  clearTimeout(late);
  connection.close();
  reader.close();
  await server.close(id);
  const count = countPieces(server, { id, bytes: got });
  if (count < pieces) throw new Error(`${count} of ${pieces} pieces came`);
  return { throughput: pieces / ((end - start) / 1_000) };
}

function countPieces(
  server: PeerServer,
  { id, bytes }: { readonly id: string; readonly bytes: readonly Buffer[] },
): number {
  let count = 0;
  const split = splitEvents((event) => {
    if (server.read(event, id) === "text") count += event.split(" ~ ").length - 1;
  });
  for (const piece of bytes) split(piece, 0n);
  return count;
}

export interface LongSession {
  readonly id: string;
  /** Messages of the user and of the agent. */
  readonly messages: number;
}

/** A conversation through the API, as far as it gets within a minute. */
export async function fillLongSession(
  server: PeerServer,
  { messages }: Amounts,
): Promise<LongSession> {
  const session = await openWarmPeerSession(server);
  const lastStart = until(LONG_SECONDS);
  let turns = 1;
  while (turns * 2 < messages && performance.now() < lastStart) {
    await session.turn("@one");
    turns += 1;
  }
  session.close();
  return { id: session.id, messages: turns * 2 };
}

export async function probeLastMessages(
  server: PeerServer,
  { id, reads }: { readonly id: string; readonly reads: number },
): Promise<PeerReadings> {
  const connection = await openConnection(server.url);
  const request = await server.lastMessages(id);
  for (let index = 0; index < WARM_UP; index += 1) await timed(connection, request);
  const times: number[] = [];
  for (let index = 0; index < reads; index += 1) times.push(await timed(connection, request));
  connection.close();
  return { last50: median(times) };
}

const SHOWN = 150;
/** Numbers that no other answer of the session contains. */
const FIRST = 1_000;
const NEXT = 777_777;
const PER_TURN = 30;

/** Kills the server while a client sees pieces of an answer, restarts it, and sends another message. */
export async function probeKill(peer: Peer, server: PeerServer): Promise<PeerReadings> {
  const session = await openWarmPeerSession(server);
  if (peer.shows === "pieces") {
    await session.send(`@stamp 100000 2 ${FIRST}`);
  } else {
    for (let first = FIRST; first < FIRST + SHOWN - PER_TURN; first += PER_TURN) {
      await session.turn(`@stamp ${PER_TURN} 0 ${first}`);
    }
    await session.send(`@stamp ${PER_TURN} 0 ${FIRST + SHOWN - PER_TURN}`);
  }
  await session.until(() => session.stamps.length >= SHOWN);
  const shown = session.stamps.slice(0, SHOWN).map(({ number }) => number);
  const killedAt = performance.now();
  await server.kill();
  session.close();
  const again = await peer.start("health");
  try {
    return await sendAgain(again, { id: session.id, shown, killedAt });
  } finally {
    await again.stop();
  }
}

async function sendAgain(
  server: PeerServer,
  { id, shown, killedAt }: Readonly<{ id: string; shown: readonly number[]; killedAt: number }>,
): Promise<PeerReadings> {
  await server.reopen(id);
  const session = await openPeerSession(server, id);
  await session.send(`@stamp 1 0 ${NEXT}`);
  await session.until(() => session.stamps.some(({ number }) => number === NEXT));
  const recovery = performance.now() - killedAt;
  session.close();
  const connection = await openConnection(server.url);
  const { method, path, body, headers } = server.history(id);
  const history = await connection.request(method, path, body, headers);
  connection.close();
  const stored = new Set(stampsIn(history.body.toString()).map(({ number }) => number));
  return { kept: shown.filter((number) => stored.has(number)).length, recovery };
}

const msBetween = (from: bigint, to: bigint): number => Number(to - from) / 1e6;

async function timed(
  connection: Connection,
  { method, path, body, headers }: FirstRequest,
): Promise<number> {
  const start = performance.now();
  const reply = await connection.request(method, path, body, headers);
  const tookMs = performance.now() - start;
  if (reply.status >= 300) {
    throw new Error(`${method} ${path}: ${reply.status} ${reply.body.toString()}`);
  }
  return tookMs;
}
