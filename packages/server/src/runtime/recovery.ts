import { setTimeout as pause } from "node:timers/promises";
import { currentRunOf } from "../domain/session.ts";
import type { RuntimeContext } from "./context.ts";
import { suspendActive } from "./suspend-active.ts";

/** A shared database is looked at this often for what a node that died has left. */
const LOOK_AGAIN_MS = 2_000;

export interface RecoveryOptions {
  readonly startedAt: number;
  /** Whether this process is at work on the session. */
  readonly isWorkedOn: (sessionId: string) => boolean;
  readonly signal: AbortSignal;
}

/**
 * Takes up what processes that died have left. What was under way is settled first, then the sessions
 * that were merely open are suspended. Never rejects.
 */
export async function startRecovery(
  context: RuntimeContext,
  options: RecoveryOptions,
): Promise<void> {
  const { store, log } = context;
  const { signal } = options;
  do {
    try {
      await settleLeftovers(context, options);
      // On a shared database other nodes may have them open.
      if (store.engine === "sqlite") {
        await suspendActive(context, { cause: "crash", before: options.startedAt, signal });
        return;
      }
    } catch (err) {
      if (!signal.aborted) log.error({ err }, "what was left unfinished could not be taken up");
    }
    await pause(LOOK_AGAIN_MS, undefined, { signal, ref: false }).catch(() => {});
  } while (!signal.aborted);
}

async function settleLeftovers(
  context: RuntimeContext,
  { isWorkedOn, signal }: RecoveryOptions,
): Promise<void> {
  const { store, node } = context;
  for (const sessionId of await store.unsettledSessions()) {
    if (signal.aborted) return;
    if (isWorkedOn(sessionId)) continue;
    const loaded = await store.load(sessionId);
    if (loaded.found !== "session" || loaded.stored.owner === node) continue;
    const { session, owner } = loaded.stored;
    if (owner !== null || currentRunOf(session) !== null) {
      await takeOver(context, { sessionId, isWorkedOn });
    }
    context.nudge(sessionId);
  }
}

/** Only a session that no living node owns can be claimed. */
async function takeOver(
  { store, node, execute, clock }: RuntimeContext,
  { sessionId, isWorkedOn }: { sessionId: string } & Pick<RecoveryOptions, "isWorkedOn">,
): Promise<void> {
  const claim = await store.claim({ sessionId, node });
  // A worker of ours that began meanwhile settles the session by itself.
  if (!claim.ok || isWorkedOn(sessionId)) return;
  const fence = { node, epoch: claim.epoch };
  await execute({
    sessionId,
    command: { type: "suspend", at: clock(), cause: "crash" },
    extras: { fence },
  });
  // A worker that began meanwhile goes on under this claim.
  if (!isWorkedOn(sessionId)) await store.release({ sessionId, ...fence });
}
