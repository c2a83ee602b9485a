import type { SessionEvent } from "../../domain/kernel/event.ts";
import { fromMessageRow } from "../rows/message-row.ts";
import { parseJson, UnreadableRow } from "../rows/parse.ts";
import { prepared } from "../prepared.ts";
import type { EventQuery, LogEntry } from "../store.ts";
import type { EventRow, MessageRow } from "../tables.ts";
import { readable, type Source } from "./source.ts";

/**
 * What happened after a sequence number. Entries that a newer one of the same message made
 * superfluous are gone: whoever applies the rest ends in the same state. One statement, so that a
 * message is read as it was when the entries after it were.
 */
export async function readEvents(source: Source, query: EventQuery): Promise<readonly LogEntry[]> {
  const { sessionId, after, limit } = query;
  const rows = await entriesAfter(source, { sessionId, after, limit });
  return rows.map((row) => {
    const message = messageIn(row);
    const [entry] =
      message === null ? readEntry(source, row) : readMessageEntry(source, row, message);
    // An unreadable entry keeps its number, so that callers can tell a full page.
    return entry ?? { kind: "unreadable", seq: row.seq, at: row.at };
  });
}

type Page = { readonly sessionId: string; readonly after: number; readonly limit: number };

const entriesAfter = prepared(({ db }, { sessionId, after, limit }: Page) =>
  db
    .selectFrom("SessionEvent")
    .leftJoin("AgentMessage", (join) =>
      join
        .onRef("AgentMessage.id", "=", "SessionEvent.messageId")
        .on("SessionEvent.kind", "=", "message"),
    )
    .selectAll("SessionEvent")
    .select(["runId", "AgentMessage.seq as place", "role", "content", "complete", "timestamp"])
    .where("SessionEvent.sessionId", "=", sessionId)
    .where("SessionEvent.seq", ">", after)
    .orderBy("SessionEvent.seq")
    .limit(limit),
);

type Found = EventRow & { readonly place: number | null } & {
  readonly [Column in "runId" | "role" | "content" | "complete" | "timestamp"]:
    | MessageRow[Column]
    | null;
};

function messageIn({
  sessionId,
  messageId: id,
  runId,
  place: seq,
  role,
  content,
  complete,
  timestamp,
}: Found): MessageRow | null {
  if (id === null || seq === null || role === null || content === null) return null;
  if (complete === null || timestamp === null) return null;
  return { id, sessionId, runId, seq, role, content, complete, timestamp };
}

function readMessageEntry(source: Source, { seq, at }: Found, message: MessageRow): LogEntry[] {
  return readable([message], {
    source,
    table: "AgentMessage",
    idOf: (row) => row.id,
    read: (row) => ({ kind: "message", seq, at, message: fromMessageRow(row) }),
  });
}

function readEntry(
  source: Source,
  { sessionId, seq, at, kind, messageId, data }: Found,
): LogEntry[] {
  const event: EventRow = { sessionId, seq, at, kind, messageId, data };
  return readable([event], {
    source,
    table: "SessionEvent",
    idOf: () => `${sessionId}/${seq}`,
    read: toLogEntry,
  });
}

function toLogEntry({ seq, at, kind, messageId, data }: EventRow): LogEntry {
  if (kind === "event") return { kind, seq, at, event: parseEvent(data ?? "") };
  if (messageId === null) throw new UnreadableRow(`a ${kind} without a message`);
  if (kind !== "delta") throw new UnreadableRow(`its message ${messageId} is missing`);
  return { kind, seq, at, messageId, text: data ?? "" };
}

function parseEvent(data: string): SessionEvent {
  const parsed = parseJson("data", data);
  if (!isEvent(parsed)) throw new UnreadableRow("data is not an event");
  return parsed;
}

/** Only our own code writes events, in one transaction with the row: their further shape is trusted. */
function isEvent(value: unknown): value is SessionEvent {
  if (typeof value !== "object" || value === null) return false;
  const hasType = "type" in value && typeof value.type === "string";
  return hasType && "at" in value && typeof value.at === "number";
}
