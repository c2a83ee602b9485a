import type { EventOf } from "../../domain/kernel/event.ts";
import type { MessageContent } from "../../domain/message.ts";
import type { Session } from "../../domain/session.ts";
import { contentText, parseContent } from "../rows/message-row.ts";
import { toSettingsColumn } from "../rows/run-row.ts";
import type { Transaction } from "./transaction.ts";

export async function addToQueue(
  { db }: Transaction,
  sessionId: string,
  event: EventOf<"message.queued">,
  content: MessageContent,
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
      steer: event.entry.steer ?? null,
      settings: toSettingsColumn(event.entry.settings),
      sessionId,
      position: (last?.position ?? 0) + 1,
      content: contentText(content, true),
      queuedAt: event.at,
    })
    .execute();
}

/** `wasGiven`: an agent got the message before a crash requeued it. */
export async function takeFromQueue({ db }: Transaction, messageId: string) {
  const queued = await db
    .deleteFrom("QueuedMessage")
    .where("messageId", "=", messageId)
    .returning(["content", "queuedAt", "attempts", "runId"])
    .executeTakeFirst();
  if (queued === undefined)
    throw new Error(`unreachable: message ${messageId} left a queue it was not in`);
  const { content, queuedAt, attempts, runId } = queued;
  return { content: parseContent(content), queuedAt, runId, wasGiven: attempts > 0 };
}

/** A run ended before the agent got its message. The message returns to the queue with its content from the history. */
export async function returnToQueue(
  { db }: Transaction,
  sessionId: string,
  event: EventOf<"run.requeued">,
): Promise<void> {
  const { content, timestamp } = await db
    .selectFrom("AgentMessage")
    .select(["content", "timestamp"])
    .where("id", "=", event.entry.messageId)
    .executeTakeFirstOrThrow();
  await db
    .insertInto("QueuedMessage")
    .values({
      ...event.entry,
      steer: null,
      settings: toSettingsColumn(event.entry.settings),
      sessionId,
      position: 0,
      content,
      queuedAt: timestamp,
    })
    .execute();
}

/** Renumbers the queue in the session's order. */
export async function orderQueue({ db }: Transaction, queue: Session["queue"]): Promise<void> {
  for (const [index, { messageId }] of queue.entries()) {
    await db
      .updateTable("QueuedMessage")
      .set({ position: index + 1 })
      .where("messageId", "=", messageId)
      .execute();
  }
}
