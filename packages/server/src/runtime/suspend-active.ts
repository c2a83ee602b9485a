import { setImmediate } from "node:timers/promises";
import type { SessionSnapshot } from "./runtime.ts";
import type { RuntimeContext } from "./context.ts";
import type { ListPosition } from "../storage/store.ts";
import { isUnreadable } from "./session-snapshot.ts";

/**
 * Sessions changed at the same time, in one transaction: many when nothing else is going on any more,
 * few when streams want to be stored in between.
 */
const AT_ONCE = { shutdown: 64, crash: 4 } as const;
const PAGE = 500;

/**
 * Stores that the server goes away, or went away, under every active session. Only sessions that
 * nobody has touched since `before`: one that is in use again is none of ours to suspend.
 */
export async function suspendActive(
  context: RuntimeContext,
  {
    cause,
    before,
    signal,
  }: {
    readonly cause: "shutdown" | "crash";
    readonly before: number;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  let after: ListPosition | null = null;
  do {
    const page = await context.store.listSessions({
      statuses: ["active"],
      limit: PAGE,
      ...(after !== null && { after }),
    });
    await suspendAll(context, { sessions: page.sessions, cause, before, signal });
    after = page.next;
    await setImmediate();
  } while (after !== null && !signal.aborted);
}

async function suspendAll(
  context: RuntimeContext,
  {
    sessions,
    cause,
    before,
    signal,
  }: {
    sessions: readonly SessionSnapshot[];
    cause: "shutdown" | "crash";
    before: number;
    signal: AbortSignal;
  },
): Promise<void> {
  const left = sessions.filter(({ updatedAt }) => updatedAt < before);
  while (left.length > 0 && !signal.aborted) {
    const some = left.splice(0, AT_ONCE[cause]);
    await Promise.all(some.map(({ id }) => suspendOne(context, { sessionId: id, cause, before })));
    await setImmediate();
  }
}

async function suspendOne(
  { execute, clock, log }: RuntimeContext,
  { sessionId, cause, before }: { sessionId: string; cause: "shutdown" | "crash"; before: number },
): Promise<void> {
  try {
    await execute({
      sessionId,
      command: (session) =>
        session === null || session.updatedAt >= before
          ? []
          : { type: "suspend", at: clock(), cause },
    });
  } catch (err) {
    if (!isUnreadable(err)) throw err;
    log.warn({ err, sessionId }, "a session that cannot be read was left as it is");
  }
}
