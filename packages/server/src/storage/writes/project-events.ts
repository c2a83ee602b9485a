import type { EventOf, SessionEvent } from "../../domain/kernel/event.ts";
import type { MessageContent } from "../../domain/message.ts";
import type { Session } from "../../domain/session.ts";
import { contentText } from "../rows/message-row.ts";
import type { Change } from "../store.ts";
import type { EventLog } from "./event-log.ts";
import { addMessage, completeOpenMessages, findMessage, replaceMessage } from "./message-writes.ts";
import { addToQueue, orderQueue, returnToQueue, takeFromQueue } from "./queue-writes.ts";
import {
  addQueuedRun,
  addStartedRun,
  addSuspension,
  closeSuspension,
  countAttempt,
  endColumns,
  startRun,
  updateRun,
} from "./run-writes.ts";
import type { Transaction } from "./transaction.ts";

interface Projection {
  readonly sessionId: string;
  readonly change: Change;
  readonly after: Session;
  readonly log: EventLog;
}

/** Brings the tables beside the session's row, its runs, queue and suspensions, in line with the events. */
export async function projectEvents(
  transaction: Transaction,
  projection: Projection,
): Promise<void> {
  const { sessionId, change, after, log } = projection;
  for (const [index, event] of change.events.entries()) {
    await projectEvent(transaction, projection, event);
    log.addEvent(event);
    for (const message of change.notices?.[index] ?? [])
      await addMessage(transaction, { sessionId, message, complete: true, at: event.at, log });
  }
  if (change.events.some(reordersQueue)) await orderQueue(transaction, after.queue);
}

async function projectEvent(
  transaction: Transaction,
  projection: Projection,
  event: SessionEvent,
): Promise<void> {
  const { sessionId, change, log } = projection;
  switch (event.type) {
    case "message.queued": {
      if (startedIn(change, event.entry.messageId)) return;
      await addQueuedRun(transaction, { sessionId, event });
      return addToQueue(transaction, {
        sessionId,
        event,
        content: contentOf(change, event.entry.messageId),
      });
    }
    case "message.edited": {
      const content = contentOf(change, event.messageId);
      await transaction.db
        .updateTable("QueuedMessage")
        .set({ content: contentText(content, true) })
        .where("messageId", "=", event.messageId)
        .execute();
      await amendHistory(transaction, projection, { ...event, content });
      return;
    }
    case "message.withdrawn": {
      const { content, wasGiven } = await takeFromQueue(transaction, event.messageId);
      if (!wasGiven)
        await amendHistory(transaction, projection, {
          ...event,
          content: { ...content, undelivered: true },
        });
      return endQueuedRun(transaction, event, "withdrawn from the queue");
    }
    case "message.undelivered":
      await keepUndelivered(transaction, projection, event);
      return endQueuedRun(transaction, event, "the session ended before it was delivered");
    case "run.started":
      return projectStart(transaction, projection, event);
    case "run.handed":
      return countAttempt(transaction, event);
    case "run.retried":
      return updateRun(transaction, {
        runId: event.runId,
        columns: { handed: 0, error: JSON.stringify(event.error) },
      });
    case "run.requeued":
      await completeOpenMessages(transaction, { sessionId, at: event.at, log });
      await updateRun(transaction, {
        runId: event.entry.runId,
        columns: {
          status: "queued",
          startedAt: null,
          handed: 0,
          attempts: event.entry.attempts,
          memory: null,
        },
      });
      return returnToQueue(transaction, { sessionId, event });
    case "run.suspended":
      await updateRun(transaction, { runId: event.runId, columns: { status: "suspended" } });
      return addSuspension(transaction, { sessionId, event });
    case "suspension.closed":
      return closeSuspension(transaction, event);
    case "run.resumed":
      return updateRun(transaction, {
        runId: event.runId,
        columns: { status: "running", handed: 0 },
      });
    case "run.ended":
      await completeOpenMessages(transaction, { sessionId, at: event.at, log });
      return updateRun(transaction, { runId: event.runId, columns: endColumns(event) });
    default:
      return; // the session's own row says it all
  }
}

async function projectStart(
  transaction: Transaction,
  projection: Projection,
  event: EventOf<"run.started">,
): Promise<void> {
  const { sessionId, change, log } = projection;
  const { messageId, id: runId } = event.run;
  if (queuedIn(change, messageId)) {
    const message = {
      id: messageId,
      runId,
      role: "user",
      content: contentOf(change, messageId),
    } as const;
    await addMessage(transaction, { sessionId, message, complete: true, at: event.at, log });
    return addStartedRun(transaction, { sessionId, event });
  }
  await deliver(transaction, projection, event);
  return startRun(transaction, event);
}

/** A message enters the history when it is delivered, with the time it was taken at; a requeued one is there already. */
async function deliver(
  transaction: Transaction,
  { sessionId, log }: Projection,
  { run }: EventOf<"run.started">,
): Promise<void> {
  const { messageId, id: runId } = run;
  const { content, queuedAt: at } = await takeFromQueue(transaction, messageId);
  if ((await findMessage(transaction, messageId)) !== undefined) return;
  const message = { id: messageId, runId, role: "user", content } as const;
  await addMessage(transaction, { sessionId, message, complete: true, at, log });
}

async function keepUndelivered(
  transaction: Transaction,
  projection: Projection,
  event: EventOf<"message.undelivered">,
): Promise<void> {
  const { messageId, runId, at } = event;
  const queued = await takeFromQueue(transaction, messageId);
  if (queued.wasGiven) return;
  const content = { ...queued.content, undelivered: true };
  if (await amendHistory(transaction, projection, { messageId, content, at })) return;
  const message = { id: messageId, runId, role: "user", content } as const;
  const { sessionId, log } = projection;
  await addMessage(transaction, { sessionId, message, complete: true, at: queued.queuedAt, log });
}

/** What happens to a requeued message in the queue happens to it in the history too. */
async function amendHistory(
  transaction: Transaction,
  { log }: Projection,
  { messageId, content, at }: { messageId: string; content: MessageContent; at: number },
): Promise<boolean> {
  const row = await findMessage(transaction, messageId);
  if (row === undefined) return false;
  await replaceMessage(transaction, { row, content, complete: true, at, log });
  return true;
}

async function endQueuedRun(
  transaction: Transaction,
  { at, runId }: { at: number; runId: string },
  stopReason: string,
): Promise<void> {
  await updateRun(transaction, {
    runId,
    columns: { status: "cancelled", stopReason, endedAt: at },
  });
}

function startedIn({ events }: Change, messageId: string): boolean {
  return events.some((event) => event.type === "run.started" && event.run.messageId === messageId);
}

function queuedIn({ events }: Change, messageId: string): boolean {
  return events.some(
    (event) => event.type === "message.queued" && event.entry.messageId === messageId,
  );
}

function reordersQueue(event: SessionEvent): boolean {
  return (
    event.type === "message.moved" ||
    event.type === "run.requeued" ||
    (event.type === "message.queued" && event.position === 0)
  );
}

function contentOf({ contents }: Change, messageId: string): MessageContent {
  const content = contents?.[messageId];
  if (content === undefined)
    throw new Error(`unreachable: message ${messageId} came without its content`);
  return content;
}
