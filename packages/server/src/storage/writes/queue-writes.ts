import type { EventOf } from "../../domain/kernel/event.ts";
import type { MessageContent } from "../../domain/message.ts";
import type { Session } from "../../domain/session.ts";
import { contentText, parseContent } from "../rows/message-row.ts";
import type { Transaction } from "./transaction.ts";

export async function addToQueue(
  { db }: Transaction,
  {
    sessionId,
    event,
    content,
  }: { sessionId: string; event: EventOf<"message.queued">; content: MessageContent },
): Promise<void> {
  const last = await db
    .selectFrom("QueuedMessage")
    .select(({ fn }) => fn.max("position").as("position"))
    .where("sessionId", "=", sessionId)
    .executeTakeFirst();
  await db
    .insertInto("QueuedMessage")
    .values({
      ...event.entry,
      sessionId,
      position: (last?.position ?? 0) + 1,
      content: contentText(content, true),
      queuedAt: event.at,
    })
    .execute();
}

/** Returns what the message says, when it was taken, and whether an agent was given it once, before a crash. */
export async function takeFromQueue(
  { db }: Transaction,
  messageId: string,
): Promise<{
  readonly content: MessageContent;
  readonly queuedAt: number;
  readonly wasGiven: boolean;
}> {
  const queued = await db
    .deleteFrom("QueuedMessage")
    .where("messageId", "=", messageId)
    .returning(["content", "queuedAt", "attempts"])
    .executeTakeFirst();
  if (queued === undefined)
    throw new Error(`unreachable: message ${messageId} left a queue it was not in`);
  const { content, queuedAt, attempts } = queued;
  return { content: parseContent(content), queuedAt, wasGiven: attempts > 0 };
}

/** A run cut before the agent had its message: back it goes, with what the history says it says. */
export async function returnToQueue(
  { db }: Transaction,
  { sessionId, event }: { sessionId: string; event: EventOf<"run.requeued"> },
): Promise<void> {
  const { content, timestamp } = await db
    .selectFrom("AgentMessage")
    .select(["content", "timestamp"])
    .where("id", "=", event.entry.messageId)
    .executeTakeFirstOrThrow();
  await db
    .insertInto("QueuedMessage")
    .values({ ...event.entry, sessionId, position: 0, content, queuedAt: timestamp })
    .execute();
}

/** Numbers the queue anew, in the order the session has it. */
export async function orderQueue({ db }: Transaction, queue: Session["queue"]): Promise<void> {
  for (const [index, { messageId }] of queue.entries()) {
    await db
      .updateTable("QueuedMessage")
      .set({ position: index + 1 })
      .where("messageId", "=", messageId)
      .execute();
  }
}
