import type { SessionEvent } from "../../domain/kernel/event.ts";
import { withPartial, type Message } from "../../domain/message.ts";
import type { LogEntry, Store, Written } from "../../storage/store.ts";
import type { FeedChange, FeedItem } from "./feed.ts";
import { readableSnapshot, type SessionSnapshot } from "../session-snapshot.ts";
import type { StoredOutput } from "../run/transcript-writer.ts";

/** One log entry as feed items. */
export interface LogStep {
  readonly seq: number;
  readonly items: readonly FeedItem[];
  /** Approximate number of characters. */
  readonly size: number;
}

/**
 * Reads log entries as feed items. A kernel event becomes current snapshots of the objects it changed. If several entries
 * changed the same object, only the last one carries it; a reader that disconnects earlier gets it after the reconnect.
 */
export async function readSteps(
  store: Store,
  query: { readonly sessionId: string; readonly after: number; readonly limit: number },
): Promise<readonly LogStep[]> {
  const entries = await store.readEvents(query);
  const last = lastChanges(entries);
  const changes: Changes = new Map();
  const runIds = [...last.keys()].filter(isRun).map(idOf);
  for (const run of await store.findRuns(runIds))
    changes.set(`run ${run.id}`, { type: "run", run });
  for (const target of last.keys())
    if (!isRun(target)) changes.set(target, await readTarget(store, query.sessionId, target));
  return stepsOf(entries, last, changes);
}

/** A commit of this process, and the session after it as a read would return it. */
export interface StoredCommit {
  readonly written: Written;
  readonly session: SessionSnapshot;
}

/** The steps of a commit, without a read. Null if it changed something that it does not show. */
export function committedSteps({ written, session }: StoredCommit): readonly LogStep[] | null {
  const last = lastChanges(written.entries);
  const changes: Changes = new Map();
  for (const target of last.keys()) {
    const change = changeIn(written, session, target);
    if (change === null) return null;
    changes.set(target, change);
  }
  return stepsOf(written.entries, last, changes);
}

function changeIn({ runs }: Written, session: SessionSnapshot, target: Target): FeedChange | null {
  if (target === "session") return { type: "session", session };
  // Messages in the queue have contents, which the session does not have.
  if (target === "queue") return session.queued === 0 ? { type: "queue", queue: [] } : null;
  const run = runs.find(({ id }) => isRun(target) && id === idOf(target));
  return run === undefined ? null : { type: "run", run };
}

/**
 * The steps of output that only adds messages and text, which is nearly all output. The result equals a read of the log. Null
 * for any other output.
 */
export function addedSteps(
  sessionId: string,
  { runId, items, firstSeq, lastSeq, at }: StoredOutput,
): readonly LogStep[] | null {
  const steps: LogStep[] = [];
  for (const [index, item] of items.entries()) {
    const seq = firstSeq + index;
    const before = items[index - 1];
    switch (item.put) {
      case "message": {
        const { message, complete } = item;
        const content = withPartial(message.content, complete);
        const stored = { ...message, content, sessionId, runId, seq, complete, at };
        steps.push(stepOf(seq, { type: "message", message: stored }));
        break;
      }
      case "text": {
        const { messageId, text } = item;
        // Consecutive deltas of one message are one log entry.
        if (before?.put === "text" && before.messageId === messageId) return null;
        steps.push(stepOf(seq, { type: "delta", messageId, text }));
        break;
      }
      default:
        return null;
    }
  }
  return steps.at(-1)?.seq === lastSeq ? steps : null;
}

function stepOf(seq: number, change: Extract<FeedChange, { type: "message" | "delta" }>): LogStep {
  return { seq, items: [{ position: String(seq), change }], size: sizeOf(change) };
}

function sizeOf(change: FeedChange): number {
  if (change.type === "delta") return change.text.length;
  return change.type === "message" ? sizeOfContent(change.message) : 1_000;
}

function sizeOfContent({ content }: Message): number {
  const { text } = content;
  return typeof text === "string" ? text.length : JSON.stringify(content).length;
}

/** An object that an event changed. */
type Target = "session" | "queue" | RunTarget | `suspension ${string}`;
type RunTarget = `run ${string}`;

const isRun = (target: Target): target is RunTarget => target.startsWith("run ");
const idOf = (target: Exclude<Target, "session" | "queue">): string =>
  target.slice(target.indexOf(" ") + 1);

function lastChanges(entries: readonly LogEntry[]): ReadonlyMap<Target, number> {
  const last = new Map<Target, number>();
  for (const entry of entries) {
    if (entry.kind !== "event") continue;
    for (const target of targetsOf(entry.event)) last.set(target, entry.seq);
  }
  return last;
}

/** What the changed objects are now; null if one does not exist any more. */
type Changes = Map<Target, FeedChange | null>;

function stepsOf(
  entries: readonly LogEntry[],
  last: ReadonlyMap<Target, number>,
  current: ReadonlyMap<Target, FeedChange | null>,
): readonly LogStep[] {
  return entries.map((entry) => {
    const changes = changesOf(entry, last, current);
    const items = changes.map((change, index): FeedItem => ({
      position: index === changes.length - 1 ? String(entry.seq) : null,
      change,
    }));
    const size = changes.reduce((sum, change) => sum + sizeOf(change), 0);
    return { seq: entry.seq, items, size };
  });
}

function changesOf(
  entry: LogEntry,
  last: ReadonlyMap<Target, number>,
  current: ReadonlyMap<Target, FeedChange | null>,
): readonly FeedChange[] {
  if (entry.kind === "message") return [{ type: "message", message: entry.message }];
  if (entry.kind === "delta")
    return [{ type: "delta", messageId: entry.messageId, text: entry.text }];
  if (entry.kind === "unreadable") return [];
  const { event, seq } = entry;
  const changes: FeedChange[] = [];
  if (event.type === "phase.changed") {
    changes.push({ type: "phase", from: event.from, to: event.to, at: event.at });
  }
  for (const target of targetsOf(event)) {
    const change = last.get(target) === seq ? (current.get(target) ?? null) : null;
    if (change !== null) changes.push(change);
  }
  return changes;
}

async function readTarget(
  store: Store,
  sessionId: string,
  target: Exclude<Target, RunTarget>,
): Promise<FeedChange | null> {
  if (target === "queue") return { type: "queue", queue: await store.readQueue(sessionId) };
  if (target === "session") {
    const session = await readableSnapshot(store, sessionId);
    return session === null ? null : { type: "session", session };
  }
  const suspension = await store.readSuspension(idOf(target));
  return suspension === null ? null : { type: "suspension", suspension };
}

/** The session is last, so that a reader sees the cause before the new state. */
function targetsOf(event: SessionEvent): readonly Target[] {
  switch (event.type) {
    case "message.queued":
    case "run.requeued":
      return ["queue", `run ${event.entry.runId}`, "session"];
    case "message.withdrawn":
    case "message.undelivered":
      return ["queue", `run ${event.runId}`, "session"];
    case "message.edited":
    case "message.moved":
    case "message.steered":
    case "session.imported":
      return ["queue", "session"];
    case "run.started":
      return ["queue", `run ${event.run.id}`, "session"];
    case "run.suspended":
      return [`suspension ${event.suspension.id}`, `run ${event.runId}`, "session"];
    case "suspension.closed":
      return [`suspension ${event.suspensionId}`, "session"];
    case "run.handed":
    case "run.retried":
    case "run.resumed":
    case "run.ended":
      return [`run ${event.runId}`, "session"];
    case "files.recorded":
      return [`run ${event.record.runId}`, "session"];
    case "session.rewound":
      return [...event.rewind.runIds.map((id): Target => `run ${id}`), "session"];
    case "output.appended":
    case "session.deleted":
      return [];
    default:
      return ["session"];
  }
}
