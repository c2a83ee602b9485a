import type { SessionEvent } from "../../domain/kernel/event.ts";
import { withPartial, type Message } from "../../domain/message.ts";
import type { LogEntry, Store } from "../../storage/store.ts";
import type { FeedChange, FeedItem } from "./feed.ts";
import { readableSnapshot } from "../session-snapshot.ts";
import type { StoredOutput } from "../run/transcript-writer.ts";

/** What one entry of the log means to readers. */
export interface LogStep {
  readonly seq: number;
  readonly items: readonly FeedItem[];
  /** About how many characters they hold. */
  readonly size: number;
}

/**
 * Entries of the log as readers get them. Kernel events become the things they changed, as these are
 * now; of several entries that changed the same thing only the last one brings it. Whoever breaks off
 * before that one gets it after the reconnect.
 */
export async function readSteps(
  store: Store,
  query: { readonly sessionId: string; readonly after: number; readonly limit: number },
): Promise<readonly LogStep[]> {
  const entries = await store.readEvents(query);
  const last = lastMentions(entries);
  const steps: LogStep[] = [];
  for (const entry of entries) {
    const changes = await changesOf(store, { sessionId: query.sessionId, entry, last });
    const items = changes.map((change, index): FeedItem => ({
      position: index === changes.length - 1 ? String(entry.seq) : null,
      change,
    }));
    const size = changes.reduce((sum, change) => sum + sizeOf(change), 0);
    steps.push({ seq: entry.seq, items, size });
  }
  return steps;
}

/**
 * The steps of output that only adds, as reading the log would give them; null for any other. New messages and pieces of text are
 * nearly all that agents say.
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
        steps.push(
          stepOf(seq, {
            type: "message",
            message: { ...message, content, sessionId, runId, seq, complete, at },
          }),
        );
        break;
      }
      case "text": {
        const { messageId, text } = item;
        // Pieces of one text are one entry of the log.
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

/** Something an event changed: the session itself, its queue, a run or a suspension by id. */
type Thing = "session" | "queue" | `run ${string}` | `suspension ${string}`;

function lastMentions(entries: readonly LogEntry[]): ReadonlyMap<Thing, number> {
  const last = new Map<Thing, number>();
  for (const entry of entries) {
    if (entry.kind !== "event") continue;
    for (const thing of thingsIn(entry.event)) last.set(thing, entry.seq);
  }
  return last;
}

async function changesOf(
  store: Store,
  {
    sessionId,
    entry,
    last,
  }: { sessionId: string; entry: LogEntry; last: ReadonlyMap<Thing, number> },
): Promise<readonly FeedChange[]> {
  if (entry.kind === "message") return [{ type: "message", message: entry.message }];
  if (entry.kind === "delta") {
    return [{ type: "delta", messageId: entry.messageId, text: entry.text }];
  }
  if (entry.kind === "unreadable") return [];
  const { event, seq } = entry;
  const changes: FeedChange[] = [];
  if (event.type === "phase.changed") {
    changes.push({ type: "phase", from: event.from, to: event.to, at: event.at });
  }
  for (const thing of thingsIn(event)) {
    if (last.get(thing) !== seq) continue;
    const change = await readThing(store, sessionId, thing);
    if (change !== null) changes.push(change);
  }
  return changes;
}

async function readThing(
  store: Store,
  sessionId: string,
  thing: Thing,
): Promise<FeedChange | null> {
  const [kind, id = ""] = thing.split(" ");
  switch (kind) {
    case "run": {
      const run = await store.readRun(id);
      return run === null ? null : { type: "run", run };
    }
    case "suspension": {
      const suspension = await store.readSuspension(id);
      return suspension === null ? null : { type: "suspension", suspension };
    }
    case "queue":
      return { type: "queue", queue: await store.readQueue(sessionId) };
    default: {
      const session = await readableSnapshot(store, sessionId);
      return session === null ? null : { type: "session", session };
    }
  }
}

/** The session last, so that a reader who sees its new state has seen why. */
function thingsIn(event: SessionEvent): readonly Thing[] {
  switch (event.type) {
    case "message.queued":
    case "run.requeued":
      return ["queue", `run ${event.entry.runId}`, "session"];
    case "message.withdrawn":
    case "message.undelivered":
      return ["queue", `run ${event.runId}`, "session"];
    case "message.edited":
    case "message.moved":
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
    case "output.appended":
    case "session.deleted":
      return [];
    default:
      return ["session"];
  }
}
