import {
  grownContent,
  unfinishedContent,
  withPartial,
  type MessageContent,
} from "../../domain/message.ts";
import { fromMessageRow, parseContent } from "../rows/message-row.ts";
import { toFlag, unlessUnreadable } from "../rows/parse.ts";
import { prepared, preparedWrite, runStatement } from "../prepared.ts";
import type { NewMessage } from "../ports/transcript-store.ts";
import type { MessageRow } from "../tables.ts";
import type { EventLog } from "./event-log.ts";
import { forgetMessage, indexMessages } from "./search-document.ts";
import type { Transaction } from "./transaction.ts";

export async function addMessage(
  transaction: Transaction,
  log: EventLog,
  { id, runId, role, content }: NewMessage,
  at: number,
  complete = true,
): Promise<void> {
  const { sessionId } = log;
  const stored = withPartial(content, complete);
  const text = JSON.stringify(stored);
  const seq = log.nextSeq;
  const message = { id, sessionId, runId, seq, role, content: stored, complete, at };
  log.addMessage(id, at, message, text.length);
  await insertMessage(transaction, {
    id,
    sessionId,
    runId,
    seq,
    role,
    content: text,
    complete: toFlag(complete),
    timestamp: at,
  });
  if (complete) await indexMessages(transaction, sessionId, [{ id, content }]);
}

export const insertMessage = preparedWrite(({ db }, row: MessageRow) =>
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

/** Replaces the content of a message. The log keeps only the newest version. */
export async function replaceMessage(
  transaction: Transaction,
  log: EventLog,
  row: MessageRow,
  content: MessageContent,
  at: number,
  complete = true,
): Promise<void> {
  const { id, sessionId, seq: since } = row;
  const stored = withPartial(content, complete);
  const text = JSON.stringify(stored);
  const changed = { ...row, content: text, complete: toFlag(complete) };
  await updateMessage(transaction, { id, content: text, complete: changed.complete });
  await forgetEntries(transaction, { sessionId, messageId: id, since });
  const message = unlessUnreadable(() => fromMessageRow(changed)) ?? null;
  log.addMessage(id, at, message, text.length);
  if (row.complete === 1) await forgetMessage(transaction, id);
  if (complete) await indexMessages(transaction, sessionId, [{ id, content }]);
}

const updateMessage = preparedWrite(
  ({ db }, { id, ...columns }: Pick<MessageRow, "id" | "content" | "complete">) =>
    db.updateTable("AgentMessage").set(columns).where("id", "=", id),
);

interface MessageOf {
  readonly sessionId: string;
  readonly messageId: string;
}

const forgetEntries = preparedWrite(
  ({ db }, { sessionId, messageId, since }: MessageOf & { readonly since: number }) =>
    db
      .deleteFrom("SessionEvent")
      .where("sessionId", "=", sessionId)
      .where("seq", ">=", since)
      .where("messageId", "=", messageId),
);

/** A message, and the text that has been added to it. */
interface GrowingMessage extends MessageRow {
  readonly growth: string | null;
}

/** Their deltas, joined by the database, which takes far less time than reading them one by one. */
function growingMessages(
  transaction: Transaction,
  where: string,
  value: string,
): Promise<readonly GrowingMessage[]> {
  return runStatement(
    transaction,
    `select "message".*, (
        select string_agg("data", '' order by "seq") from "SessionEvent" as "delta"
        where "delta"."sessionId" = "message"."sessionId" and "delta"."seq" >= "message"."seq"
          and "delta"."messageId" = "message"."id" and "delta"."kind" = 'delta'
      ) as "growth"
      from "AgentMessage" as "message" where ${where}`,
    [value],
  );
}

/** Completes a message that is stored and incomplete. */
export async function completeMessage(
  transaction: Transaction,
  log: EventLog,
  messageId: string,
  at: number,
): Promise<void> {
  const [row] = await growingMessages(transaction, `"message"."id" = ?`, messageId);
  if (row === undefined) throw new Error("unreachable: an open message is missing");
  await compact(transaction, log, row, at);
}

/** A streamed message becomes whole: its deltas become its content and leave the log. */
async function compact(
  transaction: Transaction,
  log: EventLog,
  { growth, ...row }: GrowingMessage,
  at: number,
): Promise<void> {
  const stored = unlessUnreadable(() => parseContent(row.content));
  if (stored === undefined) return keepUnreadable(transaction, row);
  const content = unfinishedContent(stored);
  const more = growth ?? "";
  const whole = more === "" ? content : grownContent(content, more);
  await replaceMessage(transaction, log, row, whole, at);
}

/** An unreadable message stays unchanged, so that it can be repaired. The session continues without it. */
async function keepUnreadable({ db }: Transaction, { id }: MessageRow): Promise<void> {
  await db.updateTable("AgentMessage").set({ complete: 1 }).where("id", "=", id).execute();
}

/** Completes all messages of an ended run. An open tool call becomes `unfinished`. */
export async function completeOpenMessages(
  transaction: Transaction,
  log: EventLog,
  at: number,
): Promise<void> {
  const open = await growingMessages(transaction, OPEN, log.sessionId);
  const inOrder = open.toSorted((one, other) => one.seq - other.seq);
  for (const row of inOrder) await compact(transaction, log, row, at);
}

/** A literal and no order: only then do both databases use the index of incomplete messages. */
const OPEN = `"message"."sessionId" = ? and "message"."complete" = 0`;
