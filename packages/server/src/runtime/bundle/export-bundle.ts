import { setImmediate } from "node:timers/promises";
import { cutForExport } from "../../domain/carry-over.ts";
import type { EventOf, SessionEvent } from "../../domain/kernel/event.ts";
import { evolveAll } from "../../domain/kernel/evolve.ts";
import type { JsonObject } from "../../domain/json.ts";
import { noticesOf } from "../../domain/message.ts";
import { currentRunOf, openSuspensionsOf, type Session } from "../../domain/session.ts";
import { StorageFault } from "../../storage/fault.ts";
import type { QueuedMessage, Run, Store, StoredSuspension } from "../../storage/store.ts";
import { noSuchSession, type Reply } from "../reply.ts";
import { bundleChecksum } from "./bundle-checksum.ts";
import {
  endLine,
  headerLine,
  messageLine,
  queuedLine,
  repoLine,
  runLine,
  sessionLine,
  suspensionLine,
} from "./bundle-lines.ts";

/** Rows read in one go; between two goes everything else has its turn. */
const PART = 50;
/** Of messages, as long as it is not known how long they are. */
const FIRST_PART = 8;
/** Characters of messages that should be in memory at once; beyond that, fewer are read in one go. */
const PART_LENGTH = 1024 * 1024;
/** How often a queue may have moved on between two reads before it is called a failure. */
const MAX_TRIES = 50;

export interface Exported {
  /** Each without its newline. Read from the store as they are asked for. */
  readonly lines: AsyncIterable<string>;
  /** Of the session that the lines tell of. */
  readonly version: number;
}

/** The session as it is at this moment, whatever becomes of it while the lines are read. */
export async function exportBundle(
  { store, clock }: { readonly store: Store; readonly clock: () => number },
  sessionId: string,
): Promise<Reply<Exported>> {
  const at = clock();
  const moment = await readMoment(store, { sessionId, at });
  if (moment === null) return noSuchSession();
  return { ok: true, lines: numbered(bundleOf(store, moment)), version: moment.version };
}

/** What is read at once; the rest is history and waits. */
interface Moment {
  readonly at: number;
  /** With no run at work. */
  readonly session: Session;
  readonly version: number;
  readonly lastSeq: number;
  readonly queue: ReadonlyMap<string, Pick<QueuedMessage, "content" | "queuedAt">>;
  /** How a run at work was cut for the bundle; null when there was none. */
  readonly cut: EventOf<"run.ended"> | null;
}

async function readMoment(
  store: Store,
  { sessionId, at }: { sessionId: string; at: number },
): Promise<Moment | null> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const loaded = await store.load(sessionId);
    if (loaded.found === "nothing") return null;
    if (loaded.found === "unreadable")
      throw new StorageFault(
        "row_unreadable",
        `Session ${sessionId} cannot be exported: ${loaded.reason}.`,
      );
    const { stored } = loaded;
    const events = cutForExport(stored.session, Math.max(at, stored.session.updatedAt));
    const session = evolveAll(stored.session, events);
    if (session === null) throw new Error("unreachable: exporting deletes nothing");
    const queue = await readQueue(store, session);
    if (queue === null) continue;
    const { version, lastSeq } = stored;
    return { at, session, version, lastSeq, queue, cut: events.find(isEnd) ?? null };
  }
  throw new StorageFault("database_busy", `Session ${sessionId} changed faster than it was read.`);
}

/** Null when the queue has moved on since the session was read. */
async function readQueue(store: Store, session: Session): Promise<Moment["queue"] | null> {
  const queued = session.queue.length === 0 ? [] : await store.readQueue(session.id);
  const contents = new Map<string, Pick<QueuedMessage, "content" | "queuedAt">>(
    queued.map((message) => [message.messageId, message]),
  );
  for (const { messageId } of session.queue) {
    if (contents.has(messageId)) continue;
    const message = await store.readMessage(session.id, messageId);
    if (message === null) return null;
    contents.set(messageId, { content: message.content, queuedAt: message.at });
  }
  return contents;
}

function isEnd(event: SessionEvent): event is EventOf<"run.ended"> {
  return event.type === "run.ended";
}

async function* numbered(lines: AsyncIterable<string>): AsyncGenerator<string> {
  const checksum = bundleChecksum();
  let count = 0;
  for await (const line of lines) {
    count += 1;
    checksum.add(line);
    yield line;
  }
  yield JSON.stringify(endLine({ lines: count + 1, sha256: checksum.end() }));
}

async function* bundleOf(store: Store, moment: Moment): AsyncGenerator<string> {
  const { session, cut } = moment;
  const lastSeq = moment.lastSeq + (cut === null ? 0 : 1);
  yield toText(headerLine(moment));
  yield toText(sessionLine(session, { lastSeq }));
  const repo = session.repoId === null ? null : await store.readRepo(session.repoId);
  if (repo !== null) yield toText(repoLine(repo));
  const told = toldRuns(store);
  for await (const run of runsAt(store, moment, told)) yield toText(runLine(run));
  for await (const suspension of suspensionsAt(store, moment, told))
    yield toText(suspensionLine(suspension));
  yield* messagesAt(store, moment);
  for (const entry of session.queue) {
    const message = moment.queue.get(entry.messageId);
    if (message === undefined) throw new Error("unreachable: the whole queue was read");
    yield toText(queuedLine(entry, message));
  }
  await stillThere(store, session.id);
}

/** Runs as they were at the moment; what has become of them since is not told, nor are newer ones. */
async function* runsAt(
  store: Store,
  { session, cut }: Moment,
  told: ToldRuns,
): AsyncGenerator<Run> {
  const waiting = currentRunOf(session);
  const queue = new Map(session.queue.map((entry) => [entry.runId, entry]));
  const parts = readParts<Run>(
    (part) => store.readRuns(session.id, part),
    (run) => run.queuedAt,
  );
  for await (const run of each(parts)) {
    told.look(run);
    const entry = queue.get(run.id);
    if (waiting?.id === run.id) yield { ...openAgain(run, waiting), status: "suspended" };
    else if (entry !== undefined)
      yield { ...openAgain(run, entry), status: "queued", startedAt: null, memory: null };
    else if (run.id === cut?.runId) yield { ...openAgain(run, run), ...cutColumns(cut) };
    else if (run.endedAt !== null && run.queuedAt <= session.updatedAt) yield run;
    else told.leaveOut(run.id);
  }
}

interface ToldRuns {
  /** Each in order, whether it is told of or not. */
  look(run: Run): void;
  leaveOut(runId: string): void;
  /** Those of the runs that are told of. */
  among(runIds: readonly string[]): Promise<ReadonlySet<string>>;
}

/** Remembers which runs were left out and where the others ended, not all of them: there may be very many. */
function toldRuns(store: Store): ToldRuns {
  const leftOut = new Set<string>();
  let last: Run | null = null;
  const isTold = async (runId: string): Promise<boolean> => {
    const run = leftOut.has(runId) ? null : await store.readRun(runId);
    return run !== null && last !== null && run.queuedAt <= last.queuedAt;
  };
  return {
    look: (run) => void (last = run),
    leaveOut: (runId) => void leftOut.add(runId),
    among: async (runIds) => {
      const asked = [...new Set(runIds)];
      const told = await Promise.all(asked.map(isTold));
      return new Set(asked.filter((_, index) => told[index] === true));
    },
  };
}

function openAgain(run: Run, known: Pick<Run, "provider" | "model" | "attempts">): Run {
  const { provider, model, attempts } = known;
  const error = run.status === "failed" ? null : run.error;
  const open = { stopReason: null, usage: null, endedAt: null, unusedAnswers: [] };
  return { ...run, provider, model, attempts, error, ...open };
}

function cutColumns({ at, result }: EventOf<"run.ended">) {
  if (result.outcome !== "interrupted") throw new Error("unreachable: a run is cut in one way");
  return { status: "interrupted", stopReason: result.reason, endedAt: at } as const;
}

async function* suspensionsAt(
  store: Store,
  { session }: Moment,
  told: ToldRuns,
): AsyncGenerator<StoredSuspension> {
  const open = new Set(openSuspensionsOf(session).map(({ id }) => id));
  const parts = readParts<StoredSuspension>(
    (part) => store.readSuspensions(session.id, part),
    (suspension) => suspension.createdAt,
  );
  for await (const part of parts) {
    const runs = await told.among(part.map(({ runId }) => runId));
    for (const suspension of part) {
      if (!runs.has(suspension.runId)) continue;
      if (open.has(suspension.id))
        yield { ...suspension, status: "open", answer: null, answeredBy: null, closedAt: null };
      else if (suspension.status !== "open") yield suspension;
    }
  }
}

async function* messagesAt(
  store: Store,
  { session, lastSeq, cut }: Moment,
): AsyncGenerator<string> {
  let after = 0;
  let limit = FIRST_PART;
  while (after < lastSeq) {
    const messages = await store.readMessages({ sessionId: session.id, after, limit });
    let length = 0;
    for (const message of messages) {
      if (message.seq > lastSeq) break;
      const line = toText(messageLine(message));
      length += line.length;
      yield line;
    }
    const last = messages.at(-1);
    // What cannot be read is left out: a part without anything need not be the last.
    if (last === undefined && limit >= lastSeq - after) break;
    limit = last === undefined ? 2 * limit : nextLimit(limit, length);
    after = last?.seq ?? after;
    await setImmediate();
  }
  const [content] = cut === null ? [] : noticesOf(cut);
  if (cut === null || content === undefined) return;
  const { runId, at } = cut;
  // A run ends once, so its id is good for the notice: exported twice, it is the same bundle.
  const { id: sessionId } = session;
  const seq = lastSeq + 1;
  yield toText(messageLine({ id: runId, sessionId, runId, seq, role: "system", content, at }));
}

/** So many that they have about the length that should be in memory, if they are like the last ones. */
function nextLimit(limit: number, length: number): number {
  const fitting = Math.floor((limit * PART_LENGTH) / Math.max(length, 1));
  return Math.max(1, Math.min(PART, fitting));
}

function toText(line: JsonObject): string {
  return JSON.stringify(line);
}

async function* readParts<Row extends { readonly id: string }>(
  read: (part: { after?: { at: number; id: string }; limit: number }) => Promise<readonly Row[]>,
  timeOf: (row: Row) => number,
): AsyncGenerator<readonly Row[]> {
  let last: Row | undefined;
  for (;;) {
    const after = last === undefined ? {} : { after: { at: timeOf(last), id: last.id } };
    const rows = await read({ ...after, limit: PART });
    yield rows;
    last = rows.at(-1);
    if (last === undefined) return;
    await setImmediate();
  }
}

async function* each<Row>(parts: AsyncIterable<readonly Row[]>): AsyncGenerator<Row> {
  for await (const part of parts) yield* part;
}

/** What is read part by part has no middle when the session is deleted: better no bundle than that. */
async function stillThere(store: Store, sessionId: string): Promise<void> {
  const read = await store.readSession(sessionId);
  if (read.found !== "session") throw new SessionGone();
}

class SessionGone extends Error {
  /** What a client is told to whom nothing was sent yet. */
  readonly code = "session_not_found";

  constructor() {
    super("The session was deleted while it was exported.");
    this.name = "SessionGone";
  }
}
