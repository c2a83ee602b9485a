import type { EventOf, SessionEvent } from "../../domain/kernel/event.ts";
import type { MessageContent } from "../../domain/message.ts";
import type { Session } from "../../domain/session.ts";
import { contentText } from "../rows/message-row.ts";
import type { Change } from "../ports/session-store.ts";
import type { NewMessage } from "../ports/transcript-store.ts";
import type { EventLog } from "./event-log.ts";
import { addMessage, completeOpenMessages, findMessage, replaceMessage } from "./message-writes.ts";
import { addToQueue, orderQueue, returnToQueue, takeFromQueue } from "./queue-writes.ts";
import {
  addQueuedRun,
  addStartedRun,
  addSuspension,
  closeSuspension,
  countAttempt,
  endRun,
  filesColumns,
  rewindRuns,
  startRun,
  updateRun,
} from "./run-writes.ts";
import type { Transaction } from "./transaction.ts";

interface Projection {
  readonly change: Change;
  readonly after: Session;
  readonly log: EventLog;
}

/** Applies events to the runs, the queue, the suspensions and the messages of the session. */
export async function projectEvents(
  transaction: Transaction,
  projection: Projection,
): Promise<void> {
  const { change, after, log } = projection;
  for (const [index, event] of change.events.entries()) {
    await projectEvent(transaction, projection, event);
    log.addEvent(event);
    for (const message of change.notices?.[index] ?? [])
      await addMessage(transaction, log, message, event.at);
  }
  if (change.events.some(reordersQueue)) await orderQueue(transaction, after.queue);
}

async function projectEvent(
  transaction: Transaction,
  projection: Projection,
  event: SessionEvent,
): Promise<void> {
  const { change, log } = projection;
  const { sessionId } = log;
  switch (event.type) {
    case "message.queued": {
      const { messageId } = event.entry;
      if (startedIn(change, messageId)) return;
      await addQueuedRun(transaction, log, event);
      return addToQueue(transaction, sessionId, event, contentOf(change, messageId));
    }
    case "message.edited": {
      const content = contentOf(change, event.messageId);
      await transaction.db
        .updateTable("QueuedMessage")
        .set({ content: contentText(content, true) })
        .where("messageId", "=", event.messageId)
        .execute();
      await amendHistory(transaction, log, event, content);
      return;
    }
    case "message.withdrawn": {
      const { content, wasGiven } = await takeFromQueue(transaction, event.messageId);
      if (!wasGiven) await amendHistory(transaction, log, event, { ...content, undelivered: true });
      return endQueuedRun(transaction, log, event, "withdrawn from the queue");
    }
    case "message.undelivered":
      await keepUndelivered(transaction, log, event);
      return endQueuedRun(transaction, log, event, "the session ended before it was delivered");
    case "message.steered":
      return projectSteered(transaction, log, event);
    case "run.started":
      return projectStart(transaction, projection, event);
    case "run.handed":
      return countAttempt(transaction, log, event);
    case "run.retried":
      return updateRun(transaction, log, event.runId, {
        handed: 0,
        error: JSON.stringify(event.error),
      });
    case "run.requeued":
      await completeOpenMessages(transaction, log, event.at);
      await updateRun(transaction, log, event.entry.runId, {
        status: "queued",
        startedAt: null,
        handed: 0,
        attempts: event.entry.attempts,
        memory: null,
      });
      return returnToQueue(transaction, sessionId, event);
    case "run.suspended":
      await updateRun(transaction, log, event.runId, { status: "suspended" });
      return addSuspension(transaction, sessionId, event);
    case "suspension.closed":
      return closeSuspension(transaction, event);
    case "run.resumed":
      return updateRun(transaction, log, event.runId, { status: "running", handed: 0 });
    case "files.recorded": {
      const columns = filesColumns(event.record);
      if (Object.keys(columns).length === 0) return;
      return updateRun(transaction, log, event.record.runId, columns);
    }
    case "session.rewound":
      return rewindRuns(transaction, log, event);
    case "run.ended":
      await completeOpenMessages(transaction, log, event.at);
      return endRun(transaction, log, event);
    default:
      return; // only changes the session's row
  }
}

async function projectStart(
  transaction: Transaction,
  { change, log }: Projection,
  event: EventOf<"run.started">,
): Promise<void> {
  const { messageId, id: runId } = event.run;
  if (queuedIn(change, messageId)) {
    const message = userMessage(messageId, runId, contentOf(change, messageId));
    await addMessage(transaction, log, message, event.at);
    return addStartedRun(transaction, log, event);
  }
  await deliver(transaction, log, event);
  return startRun(transaction, log, event);
}

/** A message that an agent has taken, or may have taken, belongs to the run of that agent and has none of its own. */
async function projectSteered(
  transaction: Transaction,
  log: EventLog,
  { messageId, runId, outcome, at }: EventOf<"message.steered">,
): Promise<void> {
  const { db } = transaction;
  if (outcome === "given" || outcome === "queued") {
    const steer = outcome === "given" ? outcome : null;
    const update = db.updateTable("QueuedMessage").set({ steer });
    await update.where("messageId", "=", messageId).execute();
    return;
  }
  const queued = await takeFromQueue(transaction, messageId);
  await db.deleteFrom("Run").where("id", "=", queued.runId).execute();
  const more = outcome === "injected" ? { injected: true } : { steering: outcome };
  const message = userMessage(messageId, runId, { ...queued.content, ...more });
  await addMessage(transaction, log, message, at);
}

function userMessage(id: string, runId: string, content: MessageContent): NewMessage {
  return { id, runId, role: "user", content };
}

/** A message enters the history when it is delivered, with the time it was queued. A requeued one is there already. */
async function deliver(
  transaction: Transaction,
  log: EventLog,
  { run: { messageId, id: runId } }: EventOf<"run.started">,
): Promise<void> {
  const { content, queuedAt } = await takeFromQueue(transaction, messageId);
  if ((await findMessage(transaction, messageId)) !== undefined) return;
  await addMessage(transaction, log, userMessage(messageId, runId, content), queuedAt);
}

async function keepUndelivered(
  transaction: Transaction,
  log: EventLog,
  event: EventOf<"message.undelivered">,
): Promise<void> {
  const { messageId, runId } = event;
  const queued = await takeFromQueue(transaction, messageId);
  if (queued.wasGiven) return;
  const content = { ...queued.content, undelivered: true };
  if (await amendHistory(transaction, log, event, content)) return;
  await addMessage(transaction, log, userMessage(messageId, runId, content), queued.queuedAt);
}

/** Applies a change of a requeued message to its copy in the history. */
async function amendHistory(
  transaction: Transaction,
  log: EventLog,
  { messageId, at }: { readonly messageId: string; readonly at: number },
  content: MessageContent,
): Promise<boolean> {
  const row = await findMessage(transaction, messageId);
  if (row === undefined) return false;
  await replaceMessage(transaction, log, row, content, at);
  return true;
}

async function endQueuedRun(
  transaction: Transaction,
  log: EventLog,
  { at, runId }: { at: number; runId: string },
  stopReason: string,
): Promise<void> {
  await updateRun(transaction, log, runId, { status: "cancelled", stopReason, endedAt: at });
}

function startedIn({ events }: Change, messageId: string): boolean {
  return events.some((event) => event.type === "run.started" && event.run.messageId === messageId);
}

/** Whether the change also stores the message. */
export function queuedIn({ events }: Change, messageId: string): boolean {
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
  if (content === undefined) throw new Error(`unreachable: message ${messageId} has no content`);
  return content;
}
