import type { MessageContent } from "../../domain/message.ts";
import { grown, parseContent } from "../message-row.ts";
import { toFlag, UnreadableRow } from "../parse.ts";
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
  await transaction.db
    .insertInto("AgentMessage")
    .values({
      id,
      sessionId,
      runId,
      seq: log.addMessage(id, at),
      role,
      content: JSON.stringify(content),
      complete: toFlag(complete),
      timestamp: at,
    })
    .execute();
  if (complete) await indexMessage(transaction, { id, sessionId, content });
}

export async function findMessage(
  { db }: Transaction,
  messageId: string,
): Promise<MessageRow | undefined> {
  return db.selectFrom("AgentMessage").selectAll().where("id", "=", messageId).executeTakeFirst();
}

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
  await transaction.db
    .updateTable("AgentMessage")
    .set({ content: JSON.stringify(content), complete: toFlag(complete) })
    .where("id", "=", id)
    .execute();
  await transaction.db
    .deleteFrom("SessionEvent")
    .where("sessionId", "=", sessionId)
    .where("seq", ">=", row.seq)
    .where("messageId", "=", id)
    .execute();
  log.addMessage(id, at);
  if (row.complete === 1) await forgetMessage(transaction, id);
  if (complete) await indexMessage(transaction, { id, sessionId, content });
}

/** The text that has arrived so far becomes the message, and its pieces leave the log. */
export async function completeMessage(
  transaction: Transaction,
  { row, at, log }: { row: MessageRow; at: number; log: EventLog },
): Promise<void> {
  const content = readContent(row);
  if (content === null) return leaveAsFound(transaction, row);
  const pieces = await transaction.db
    .selectFrom("SessionEvent")
    .select("data")
    .where("sessionId", "=", row.sessionId)
    .where("seq", ">=", row.seq)
    .where("messageId", "=", row.id)
    .where("kind", "=", "delta")
    .orderBy("seq")
    .execute();
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

/** No message stays half open when its run has ended, however it ended. */
export async function completeOpenMessages(
  transaction: Transaction,
  { sessionId, at, log }: { sessionId: string; at: number; log: EventLog },
): Promise<void> {
  const open = await transaction.db
    .selectFrom("AgentMessage")
    .selectAll()
    .where("sessionId", "=", sessionId)
    .where("complete", "=", 0)
    .orderBy("seq")
    .execute();
  for (const row of open) await completeMessage(transaction, { row, at, log });
}
