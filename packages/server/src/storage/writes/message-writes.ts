import { sql } from "kysely";
import { unfinishedContent, type MessageContent } from "../../domain/message.ts";
import { contentText, grown, parseContent } from "../rows/message-row.ts";
import { toFlag, UnreadableRow } from "../rows/parse.ts";
import { prepared } from "../prepared.ts";
import type { NewMessage } from "../store.ts";
import type { MessageRow } from "../tables.ts";
import type { EventLog } from "./event-log.ts";
import { forgetMessage, indexMessage } from "./search-document.ts";
import type { Transaction } from "./transaction.ts";

export async function addMessage(
  transaction: Transaction,
  {
    sessionId,
    message,
    complete,
    at,
    log,
  }: { sessionId: string; message: NewMessage; complete: boolean; at: number; log: EventLog },
): Promise<void> {
  const { id, runId, role, content } = message;
  await insertMessage(transaction, {
    id,
    sessionId,
    runId,
    seq: log.addMessage(id, at),
    role,
    content: contentText(content, complete),
    complete: toFlag(complete),
    timestamp: at,
  });
  if (complete) await indexMessage(transaction, { id, sessionId, content });
}

const insertMessage = prepared(({ db }, row: MessageRow) =>
  db.insertInto("AgentMessage").values(row),
);

export async function findMessage(
  transaction: Transaction,
  messageId: string,
): Promise<MessageRow | undefined> {
  return (await messageRows(transaction, { messageId })).at(0);
}

const messageRows = prepared(({ db }, { messageId }: { messageId: string }) =>
  db.selectFrom("AgentMessage").selectAll().where("id", "=", messageId),
);

/** Replaces what the message says; the log keeps its newest version only. */
export async function replaceMessage(
  transaction: Transaction,
  {
    row,
    content,
    complete,
    at,
    log,
  }: { row: MessageRow; content: MessageContent; complete: boolean; at: number; log: EventLog },
): Promise<void> {
  const { id, sessionId } = row;
  await updateMessage(transaction, {
    id,
    content: contentText(content, complete),
    complete: toFlag(complete),
  });
  await forgetEntries(transaction, { sessionId, messageId: id, since: row.seq });
  log.addMessage(id, at);
  if (row.complete === 1) await forgetMessage(transaction, id);
  if (complete) await indexMessage(transaction, { id, sessionId, content });
}

const updateMessage = prepared(
  ({ db }, { id, ...columns }: Pick<MessageRow, "id" | "content" | "complete">) =>
    db.updateTable("AgentMessage").set(columns).where("id", "=", id),
);

type Entries = { readonly sessionId: string; readonly messageId: string; readonly since: number };

const forgetEntries = prepared(({ db }, { sessionId, messageId, since }: Entries) =>
  db
    .deleteFrom("SessionEvent")
    .where("sessionId", "=", sessionId)
    .where("seq", ">=", since)
    .where("messageId", "=", messageId),
);

const piecesOf = prepared(({ db }, { sessionId, messageId, since }: Entries) =>
  db
    .selectFrom("SessionEvent")
    .select("data")
    .where("sessionId", "=", sessionId)
    .where("seq", ">=", since)
    .where("messageId", "=", messageId)
    .where("kind", "=", "delta")
    .orderBy("seq"),
);

/** The text that has arrived so far becomes the message, and its pieces leave the log. */
export async function completeMessage(
  transaction: Transaction,
  { row, at, log }: { row: MessageRow; at: number; log: EventLog },
): Promise<void> {
  const stored = readContent(row);
  if (stored === null) return leaveAsFound(transaction, row);
  const content = unfinishedContent(stored);
  const { id: messageId, sessionId, seq: since } = row;
  const pieces = await piecesOf(transaction, { sessionId, messageId, since });
  const more = pieces.map(({ data }) => data ?? "").join("");
  await replaceMessage(transaction, {
    row,
    content: more === "" ? content : grown(content, more),
    complete: true,
    at,
    log,
  });
}

function readContent({ content }: MessageRow): MessageContent | null {
  try {
    return parseContent(content);
  } catch (error) {
    if (error instanceof UnreadableRow) return null;
    throw error;
  }
}

/** A message that somebody spoiled stays as it is, for whoever mends it; the session goes on without it. */
async function leaveAsFound({ db }: Transaction, { id }: MessageRow): Promise<void> {
  await db.updateTable("AgentMessage").set({ complete: 1 }).where("id", "=", id).execute();
}

/** No message stays half open when its run has ended, however it ended; a tool call that was open is `unfinished`. */
export async function completeOpenMessages(
  transaction: Transaction,
  { sessionId, at, log }: { sessionId: string; at: number; log: EventLog },
): Promise<void> {
  const open = await openMessages(transaction, { sessionId });
  const inOrder = open.toSorted((one, other) => one.seq - other.seq);
  for (const row of inOrder) await completeMessage(transaction, { row, at, log });
}

/** The value is written out and the order left to us: only so is an index of what grows used, however many messages there are. */
const openMessages = prepared(({ db }, { sessionId }: { sessionId: string }) =>
  db
    .selectFrom("AgentMessage")
    .selectAll()
    .where("sessionId", "=", sessionId)
    .where("complete", "=", sql.lit(0)),
);
