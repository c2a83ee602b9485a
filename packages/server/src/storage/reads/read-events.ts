import type { SessionEvent } from "../../domain/kernel/event.ts";
import { fromMessageRow } from "../rows/message-row.ts";
import { parseJson, UnreadableRow } from "../rows/parse.ts";
import { prepared } from "../prepared.ts";
import type { EventQuery, LogEntry } from "../ports/transcript-store.ts";
import type { EventRow, MessageRow } from "../tables.ts";
import { readable, type Source } from "./source.ts";

/**
 * Log entries after a sequence number. The log keeps only the newest entry of a message; applying the entries still
 * produces the same state. One statement, so that messages and entries are of the same moment.
 */
export async function readEvents(source: Source, query: EventQuery): Promise<readonly LogEntry[]> {
  const { sessionId, after, limit } = query;
  const rows = await entriesAfter(source, { sessionId, after, limit });
  return rows.map((row) => {
    const { seq, at, kind, messageId, data } = row;
    const message = messageIn(row);
    const [entry] =
      message === null
        ? readable(
            source,
            "SessionEvent",
            [{ sessionId, seq, at, kind, messageId, data }],
            toLogEntry,
          )
        : readable(source, "AgentMessage", [message], (stored): LogEntry => ({
            kind: "message",
            seq,
            at,
            message: fromMessageRow(stored),
          }));
    // An unreadable entry keeps its number, so that callers recognize a full page.
    return entry ?? { kind: "unreadable", seq, at };
  });
}

const entriesAfter = prepared(({ db }, { sessionId, after, limit }: EventQuery) =>
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

type JoinedEntry = EventRow & { readonly place: number | null } & {
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
}: JoinedEntry): MessageRow | null {
  if (id === null || seq === null || role === null || content === null) return null;
  if (complete === null || timestamp === null) return null;
  return { id, sessionId, runId, seq, role, content, complete, timestamp };
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

/** Only this program writes events, so the rest of their shape is trusted. */
function isEvent(value: unknown): value is SessionEvent {
  if (typeof value !== "object" || value === null) return false;
  const hasType = "type" in value && typeof value.type === "string";
  return hasType && "at" in value && typeof value.at === "number";
}
