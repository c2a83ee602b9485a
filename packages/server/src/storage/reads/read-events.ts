import type { SessionEvent } from "../../domain/event.ts";
import { isObject, parseJson, UnreadableRow } from "../parse.ts";
import { fromMessageRow } from "../message-row.ts";
import type { EventQuery, LogEntry } from "../store.ts";
import type { EventRow, MessageRow } from "../tables.ts";
import { readable, type Source } from "./source.ts";

/**
 * What happened after a sequence number. Entries that a newer one of the same message made
 * superfluous are gone: whoever applies the rest ends in the same state.
 */
export async function readEvents(source: Source, query: EventQuery): Promise<readonly LogEntry[]> {
  const rows = await source.db
    .selectFrom("SessionEvent")
    .selectAll()
    .where("sessionId", "=", query.sessionId)
    .where("seq", ">", query.after)
    .orderBy("seq")
    .limit(query.limit)
    .execute();
  const messages = await messagesOf(source, rows);
  return readable(rows, {
    source,
    table: "SessionEvent",
    idOf: (row) => `${row.sessionId}/${row.seq}`,
    read: (row) => toLogEntry(row, messages),
  });
}

async function messagesOf({ db }: Source, rows: readonly EventRow[]): Promise<ReadonlyMap<string, MessageRow>> {
  const ids = rows.flatMap(({ kind, messageId }) => (kind === "message" && messageId !== null ? [messageId] : []));
  if (ids.length === 0) return new Map();
  const found = await db.selectFrom("AgentMessage").selectAll().where("id", "in", ids).execute();
  return new Map(found.map((row) => [row.id, row]));
}

function toLogEntry({ seq, at, kind, messageId, data }: EventRow, messages: ReadonlyMap<string, MessageRow>): LogEntry {
  if (kind === "event") return { kind, seq, at, event: parseEvent(data ?? "") };
  if (messageId === null) throw new UnreadableRow(`a ${kind} without a message`);
  if (kind === "delta") return { kind, seq, at, messageId, text: data ?? "" };
  const row = messages.get(messageId);
  if (kind !== "message" || row === undefined) throw new UnreadableRow(`its message ${messageId} is missing`);
  return { kind, seq, at, message: fromMessageRow(row) };
}

/** Only our own code writes events, in one transaction with the row; their shape is not checked again. */
function parseEvent(data: string): SessionEvent {
  const parsed = parseJson("data", data);
  if (!isObject(parsed) || typeof parsed["type"] !== "string" || typeof parsed["at"] !== "number") {
    throw new UnreadableRow("data is not an event");
  }
  return parsed as unknown as SessionEvent;
}
