import { setImmediate } from "node:timers/promises";
import { cutForExport } from "../../domain/carry-over.ts";
import type { EventOf } from "../../domain/kernel/event.ts";
import { evolveAll } from "../../domain/kernel/evolve.ts";
import { noticesOf } from "../../domain/message.ts";
import { currentRunOf, openSuspensionsOf, type Session } from "../../domain/session.ts";
import { StorageFault } from "../../storage/fault.ts";
import type { QueuedMessage, Run, Store, StoredSuspension } from "../../storage/store.ts";
import { messagePages } from "../message-pages.ts";
import { noSuchSession, type Reply } from "../reply.ts";
import {
  bundleChecksum,
  endLine,
  headerLine,
  linesOf,
  MESSAGE_LINES,
  messageLine,
  queuedLine,
  repoLine,
  runLine,
  sessionLine,
  suspensionLine,
} from "./bundle-lines.ts";

/** Rows per read; the event loop runs between two reads. */
const PART = 50;
/** Tries to read a session and its queue at the same moment. */
const MAX_TRIES = 50;

export interface Exported {
  /** Without newlines; read from the store on demand. */
  readonly lines: AsyncIterable<string>;
  /** The version of the exported session. */
  readonly version: number;
}

/** Exports the session as of now. Changes during the export are not included. */
export async function exportBundle(
  { store, clock }: { readonly store: Store; readonly clock: () => number },
  sessionId: string,
): Promise<Reply<Exported>> {
  const moment = await readMoment(store, sessionId, clock());
  if (moment === null) return noSuchSession();
  return { ok: true, lines: numbered(bundleOf(store, moment)), version: moment.version };
}

type QueuedContent = Pick<QueuedMessage, "content" | "queuedAt">;

/** The part that is read at once; the history is read later. */
interface Moment {
  readonly at: number;
  /** Without a running run. */
  readonly session: Session;
  readonly version: number;
  readonly lastSeq: number;
  readonly queue: ReadonlyMap<string, QueuedContent>;
  /** The end of the running run in the bundle; null without such a run. */
  readonly cut: EventOf<"run.ended"> | null;
}

async function readMoment(store: Store, sessionId: string, at: number): Promise<Moment | null> {
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
    const cut = events.find((event) => event.type === "run.ended") ?? null;
    return { at, session, version, lastSeq, queue, cut };
  }
  throw new StorageFault(
    "database_busy",
    `Session ${sessionId} changed too often while it was read.`,
  );
}

/** Null if the queue has changed since the session was read. */
async function readQueue(store: Store, session: Session): Promise<Moment["queue"] | null> {
  const queued = session.queue.length === 0 ? [] : await store.readQueue(session.id);
  const contents = new Map<string, QueuedContent>(queued.map((each) => [each.messageId, each]));
  for (const { messageId } of session.queue) {
    if (contents.has(messageId)) continue;
    const message = await store.readMessage(session.id, messageId);
    if (message === null) return null;
    contents.set(messageId, { content: message.content, queuedAt: message.at });
  }
  return contents;
}

async function* numbered(lines: AsyncIterable<string>): AsyncGenerator<string> {
  const checksum = bundleChecksum();
  let count = 0;
  for await (const line of lines) {
    count += 1;
    checksum.add(line);
    yield line;
  }
  yield JSON.stringify(endLine(count + 1, checksum.end()));
}

async function* bundleOf(store: Store, moment: Moment): AsyncGenerator<string> {
  const { session, cut } = moment;
  const lastSeq = moment.lastSeq + (cut === null ? 0 : 1);
  yield JSON.stringify(headerLine(session.id, moment.at));
  yield JSON.stringify(sessionLine(session, lastSeq));
  const repo = session.repoId === null ? null : await store.readRepo(session.repoId);
  if (repo !== null) yield JSON.stringify(repoLine(repo));
  const exported = exportedRuns(store);
  for await (const run of runsAt(store, moment, exported)) yield JSON.stringify(runLine(run));
  for await (const suspension of suspensionsAt(store, moment, exported))
    yield JSON.stringify(suspensionLine(suspension));
  yield* messagesAt(store, moment);
  for (const entry of session.queue) {
    const message = moment.queue.get(entry.messageId);
    if (message === undefined) throw new Error("unreachable: the whole queue was read");
    yield JSON.stringify(queuedLine(entry, message));
  }
  await checkExists(store, session.id);
}

/** The runs as of the moment of the export, without newer ones. */
async function* runsAt(
  store: Store,
  { session, cut }: Moment,
  exported: ExportedRuns,
): AsyncGenerator<Run> {
  const waiting = currentRunOf(session);
  const queue = new Map(session.queue.map((entry) => [entry.runId, entry]));
  const parts = readParts<Run>(
    (part) => store.readRuns(session.id, part),
    (run) => run.queuedAt,
  );
  for await (const part of parts)
    for (const run of part) {
      exported.add(run);
      const entry = queue.get(run.id);
      if (waiting?.id === run.id) yield { ...reopened(run, waiting), status: "suspended" };
      else if (entry !== undefined)
        yield { ...reopened(run, entry), status: "queued", startedAt: null, memory: null };
      else if (run.id === cut?.runId) yield { ...reopened(run, run), ...cutColumns(cut) };
      else if (run.endedAt !== null && run.queuedAt <= session.updatedAt) yield run;
      else exported.leaveOut(run.id);
    }
}

type ExportedRuns = ReturnType<typeof exportedRuns>;

/** Remembers only the runs that were left out and the last run, because a session may have very many runs. */
function exportedRuns(store: Store) {
  const leftOut = new Set<string>();
  let last: Run | null = null;
  const isExported = ({ queuedAt }: Run): boolean => last !== null && queuedAt <= last.queuedAt;
  return {
    /** Called with every run in order, also with those left out. */
    add: (run: Run) => void (last = run),
    leaveOut: (runId: string) => void leftOut.add(runId),
    /** Those of the runs that were exported. */
    among: async (runIds: readonly string[]): Promise<ReadonlySet<string>> => {
      const unique = [...new Set(runIds)].filter((runId) => !leftOut.has(runId));
      const found = await store.findRuns(unique);
      return new Set(found.filter(isExported).map(({ id }) => id));
    },
  };
}

function reopened(run: Run, agent: Pick<Run, "provider" | "model" | "attempts">): Run {
  const { provider, model, attempts } = agent;
  const error = run.status === "failed" ? null : run.error;
  const open = { stopReason: null, usage: null, endedAt: null, unusedAnswers: [] };
  return { ...run, provider, model, attempts, error, ...open };
}

function cutColumns({ at, result }: EventOf<"run.ended">) {
  if (result.outcome !== "interrupted")
    throw new Error("unreachable: an export interrupts the run");
  return { status: "interrupted", stopReason: result.reason, endedAt: at } as const;
}

async function* suspensionsAt(
  store: Store,
  { session }: Moment,
  exported: ExportedRuns,
): AsyncGenerator<StoredSuspension> {
  const open = new Set(openSuspensionsOf(session).map(({ id }) => id));
  const parts = readParts<StoredSuspension>(
    (part) => store.readSuspensions(session.id, part),
    (suspension) => suspension.createdAt,
  );
  for await (const part of parts) {
    const runs = await exported.among(part.map(({ runId }) => runId));
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
  const sessionId = session.id;
  for await (const page of messagePages(store, { sessionId, lastSeq, format: MESSAGE_LINES }))
    yield* linesOf(page);
  const [content] = cut === null ? [] : noticesOf(cut);
  if (cut === null || content === undefined) return;
  const { runId, at } = cut;
  // A run ends once, so its id is unique for the notice, and a second export gives the same bundle.
  const seq = lastSeq + 1;
  yield JSON.stringify(
    messageLine({ id: runId, sessionId, runId, seq, role: "system", content, at }),
  );
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

/** Fails if the session was deleted during the export, because the history is then incomplete. */
async function checkExists(store: Store, sessionId: string): Promise<void> {
  const read = await store.readSession(sessionId);
  if (read.found !== "session") throw new SessionGone();
}

class SessionGone extends Error {
  /** The problem code, if nothing was sent yet. */
  readonly code = "session_not_found";

  constructor() {
    super("The session was deleted during the export.");
    this.name = "SessionGone";
  }
}
