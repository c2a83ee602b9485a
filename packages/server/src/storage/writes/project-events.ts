import type { EventOf, SessionEvent } from "../../domain/event.ts";
import type { MessageContent } from "../../domain/message.ts";
import type { Session } from "../../domain/session.ts";
import { parseContent } from "../message-row.ts";
import type { Change } from "../store.ts";
import type { EventLog } from "./event-log.ts";
import { addMessage, completeOpenMessages } from "./message-writes.ts";
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
export async function projectEvents(transaction: Transaction, projection: Projection): Promise<void> {
  const { change, after, log } = projection;
  for (const event of change.events) {
    await projectEvent(transaction, projection, event);
    log.addEvent(event);
  }
  if (change.events.some(reordersQueue)) await orderQueue(transaction, after.queue);
}

async function projectEvent(transaction: Transaction, projection: Projection, event: SessionEvent): Promise<void> {
  const { sessionId, change, log } = projection;
  switch (event.type) {
    case "message.queued": {
      if (startedIn(change, event.entry.messageId)) return;
      await addQueuedRun(transaction, { sessionId, event });
      return addToQueue(transaction, { sessionId, event, content: contentOf(change, event.entry.messageId) });
    }
    case "message.edited":
      await transaction.db
        .updateTable("QueuedMessage")
        .set({ content: JSON.stringify(contentOf(change, event.messageId)) })
        .where("messageId", "=", event.messageId)
        .execute();
      return;
    case "message.withdrawn":
      await takeFromQueue(transaction, event.messageId);
      return endQueuedRun(transaction, event, "withdrawn from the queue");
    case "message.undelivered":
      await moveToHistory(transaction, projection, { ...event, undelivered: true });
      return endQueuedRun(transaction, event, "the session ended before it was delivered");
    case "run.started":
      return projectStart(transaction, projection, event);
    case "run.handed":
      return countAttempt(transaction, event.runId);
    case "run.retried":
      return updateRun(transaction, {
        runId: event.runId,
        columns: { handed: 0, error: JSON.stringify(event.error) },
      });
    case "run.requeued":
      await updateRun(transaction, {
        runId: event.entry.runId,
        columns: { status: "queued", startedAt: null, handed: 0 },
      });
      return returnToQueue(transaction, { sessionId, event });
    case "run.suspended":
      await updateRun(transaction, { runId: event.runId, columns: { status: "suspended" } });
      return addSuspension(transaction, { sessionId, event });
    case "suspension.closed":
      return closeSuspension(transaction, event);
    case "run.resumed":
      return updateRun(transaction, { runId: event.runId, columns: { status: "running", handed: 0 } });
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
    const message = { id: messageId, runId, role: "user", content: contentOf(change, messageId) } as const;
    await addMessage(transaction, { sessionId, message, complete: true, at: event.at, log });
    return addStartedRun(transaction, { sessionId, event });
  }
  await moveToHistory(transaction, projection, { messageId, runId, at: event.at, undelivered: false });
  return startRun(transaction, event);
}

/** A message enters the history when it is delivered, or never will be; a requeued one is there already. */
async function moveToHistory(
  transaction: Transaction,
  { sessionId, log }: Projection,
  { messageId, runId, at, undelivered }: { messageId: string; runId: string; at: number; undelivered: boolean },
): Promise<void> {
  const queued = await takeFromQueue(transaction, messageId);
  if (queued === undefined) throw new Error(`unreachable: message ${messageId} left a queue it was not in`);
  const known = await transaction.db
    .selectFrom("AgentMessage")
    .select("id")
    .where("id", "=", messageId)
    .executeTakeFirst();
  if (known !== undefined) return;
  const content = { ...parseContent(queued.content), ...(undelivered && { undelivered }) };
  const message = { id: messageId, runId, role: "user", content } as const;
  await addMessage(transaction, { sessionId, message, complete: true, at, log });
}

async function endQueuedRun(
  transaction: Transaction,
  { at, runId }: { at: number; runId: string },
  stopReason: string,
): Promise<void> {
  await updateRun(transaction, { runId, columns: { status: "cancelled", stopReason, endedAt: at } });
}

function startedIn({ events }: Change, messageId: string): boolean {
  return events.some((event) => event.type === "run.started" && event.run.messageId === messageId);
}

function queuedIn({ events }: Change, messageId: string): boolean {
  return events.some((event) => event.type === "message.queued" && event.entry.messageId === messageId);
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
  if (content === undefined) throw new Error(`unreachable: message ${messageId} came without its content`);
  return content;
}
