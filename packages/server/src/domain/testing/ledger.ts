import type { EventOf, SessionEvent } from "../kernel/event.ts";

/** The state of an accepted message. */
export type Fate =
  | "queued"
  | "running"
  | "ended"
  | "withdrawn"
  | "undelivered"
  | "given"
  | "injected"
  | "unknown";

/**
 * A second, independent model of a session's messages and suspensions, built only from events. It throws if an event
 * cannot follow the earlier ones.
 */
export interface Ledger {
  readonly queue: readonly string[];
  readonly running: string | null;
  /** The open suspensions. */
  readonly waiting: readonly string[];
  readonly fates: ReadonlyMap<string, Fate>;
  record(event: SessionEvent): void;
}

export function openLedger(): Ledger {
  const fates = new Map<string, Fate>();
  const messageOfRun = new Map<string, string>();
  let queue: string[] = [];
  let running: string | null = null;
  let waiting: readonly string[] = [];

  function move(messageId: string, { from, to }: { from: Fate | undefined; to: Fate }): void {
    const fate = fates.get(messageId);
    if (fate !== from) throw new Error(`${messageId} is ${fate ?? "unknown"} and became ${to}`);
    fates.set(messageId, to);
  }

  function leaveQueue(messageId: string, to: "withdrawn" | "undelivered"): void {
    move(messageId, { from: "queued", to });
    queue = queue.filter((id) => id !== messageId);
  }

  function record(event: SessionEvent): void {
    switch (event.type) {
      case "message.queued":
        move(event.entry.messageId, { from: undefined, to: "queued" });
        if (messageOfRun.has(event.entry.runId))
          throw new Error(`${event.entry.runId} has a message already`);
        messageOfRun.set(event.entry.runId, event.entry.messageId);
        queue.splice(event.position, 0, event.entry.messageId);
        return;
      case "message.moved":
        if (fates.get(event.messageId) !== "queued")
          throw new Error(`${event.messageId} moved outside the queue`);
        queue = queue.filter((id) => id !== event.messageId);
        queue.splice(event.position, 0, event.messageId);
        return;
      case "message.withdrawn":
        return leaveQueue(event.messageId, "withdrawn");
      case "message.undelivered":
        return leaveQueue(event.messageId, "undelivered");
      case "message.steered":
        return steer(event);
      case "run.started":
        if (running !== null) throw new Error(`${event.run.id} started beside another run`);
        if (queue[0] !== event.run.messageId)
          throw new Error(`${event.run.messageId} started out of turn`);
        if (messageOfRun.get(event.run.id) !== event.run.messageId)
          throw new Error("a run took another's message");
        move(event.run.messageId, { from: "queued", to: "running" });
        queue = queue.slice(1);
        running = event.run.id;
        return;
      case "run.requeued":
        leaveRun(event.entry.runId, "queued");
        queue = [event.entry.messageId, ...queue];
        return;
      case "run.ended":
        return leaveRun(event.runId, "ended");
      case "run.suspended":
        if (event.runId !== running)
          throw new Error(`${event.suspension.id} belongs to no current run`);
        waiting = [...waiting, event.suspension.id];
        return;
      case "suspension.closed":
        if (!waiting.includes(event.suspensionId))
          throw new Error(`${event.suspensionId} closed without being open`);
        waiting = waiting.filter((id) => id !== event.suspensionId);
        return;
      case "run.resumed":
        if (waiting.length > 0) throw new Error(`${event.runId} continues while it waits`);
        return;
      default:
        return;
    }
  }

  /** A steered message is given at most once, and everything that was given has an outcome that is said. */
  function steer({ messageId, runId, outcome }: EventOf<"message.steered">): void {
    if (running !== runId) throw new Error(`${messageId} steers ${runId}, which is not current`);
    switch (outcome) {
      case "given":
        return move(messageId, { from: "queued", to: "given" });
      case "queued":
        // Only an agent that refused it gives it back.
        if (fates.get(messageId) === "given") move(messageId, { from: "given", to: "queued" });
        return;
      case "injected":
      case "unknown":
        move(messageId, { from: "given", to: outcome });
        queue = queue.filter((id) => id !== messageId);
        return;
      default:
        outcome satisfies never;
    }
  }

  function leaveRun(runId: string, to: "queued" | "ended"): void {
    if (running !== runId) throw new Error(`${runId} became ${to} without being the current run`);
    move(messageOfRun.get(runId) ?? "", { from: "running", to });
    running = null;
  }

  return {
    get queue() {
      return queue;
    },
    get running() {
      return running;
    },
    get waiting() {
      return waiting;
    },
    fates,
    record,
  };
}
