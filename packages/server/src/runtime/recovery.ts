import { setTimeout as pause } from "node:timers/promises";
import { dutyOf } from "../domain/duty.ts";
import { currentRunOf } from "../domain/session.ts";
import type { StoredSession } from "../storage/store.ts";
import { dropLeftImports } from "./bundle/drop-import.ts";
import type { RuntimeContext } from "./context.ts";
import { takeOverFrom } from "./cut-run.ts";
import { suspendActive } from "./suspend-active.ts";

/** A shared database is looked at this often for what others have left, and for hints that were lost. */
const LOOK_AGAIN_MS = 2_000;
/** Looked at in one go; little where there is no place for an agent anyway. */
const AT_ONCE = { withRoom: 500, full: 50 };

export interface RecoveryOptions {
  readonly startedAt: number;
  /** Whether this process is at work on the session. */
  readonly isWorkedOn: (sessionId: string) => boolean;
  /** Hands the session to a worker, which takes it up even if another node has more room. */
  readonly takeUp: (sessionId: string) => void;
  /** After each look at a shared database. */
  readonly onLook: () => void;
  readonly signal: AbortSignal;
}

/**
 * Takes up what processes that died have left. What was under way is settled first, then the sessions
 * that were merely open are suspended, and what imports have left is removed. Never rejects.
 */
export async function startRecovery(
  context: RuntimeContext,
  options: RecoveryOptions,
): Promise<void> {
  const { store, cluster, log } = context;
  const { signal, startedAt } = options;
  // Nobody else has any of them open: they are found as a crash, or a stop of all, has left them.
  const isFirst = cluster.isAlone;
  const isShared = store.engine === "postgres";
  let isBegun = false;
  do {
    try {
      context.failpoint("recovery.begun");
      await settleLeftovers(context, options);
      context.failpoint("recovery.settled");
      if (isFirst && !isBegun) {
        await suspendActive(context, { cause: "crash", before: startedAt, signal });
      }
      await dropLeftImports(store, signal);
      isBegun = true;
      if (!isShared) return;
      options.onLook();
    } catch (err) {
      if (!signal.aborted) log.error({ err }, "what was left unfinished could not be taken up");
    }
    // Not all nodes at the same moment.
    const pauseMs = LOOK_AGAIN_MS * (0.75 + Math.random() / 2);
    await pause(pauseMs, undefined, { signal, ref: false }).catch(() => {});
  } while (!signal.aborted);
}

async function settleLeftovers(
  context: RuntimeContext,
  { isWorkedOn, takeUp, signal }: RecoveryOptions,
): Promise<void> {
  const { store, node, cluster, places } = context;
  const left =
    store.engine === "postgres"
      ? await store.abandonedSessions({ limit: places.isFull ? AT_ONCE.full : AT_ONCE.withRoom })
      : await store.unsettledSessions();
  for (const sessionId of left) {
    if (signal.aborted || cluster.isDraining) return;
    if (isWorkedOn(sessionId)) continue;
    const loaded = await store.load(sessionId);
    if (loaded.found !== "session" || loaded.stored.owner === node) continue;
    try {
      if (isCut(loaded.stored, { isShared: store.engine === "postgres" }))
        await takeOver(context, { sessionId, isWorkedOn, owner: loaded.stored.owner });
    } finally {
      // Also when that broke off: the session may be ours by now, and then nobody else can look after it.
      takeUp(sessionId);
    }
  }
}

/** Its owner is gone, or an agent was at work on it that nobody is responsible for. */
function isCut({ session, owner }: StoredSession, { isShared }: { isShared: boolean }): boolean {
  if (owner !== null) return true;
  if (!isShared) return currentRunOf(session) !== null;
  const duty = dutyOf(session);
  // A run that was just started on another node is not cut: it has not been given to an agent.
  return duty.do === "drive" && duty.handed;
}

/** Only a session that no living node owns can be claimed. */
async function takeOver(
  { store, node, execute, clock, failpoint, cluster }: RuntimeContext,
  {
    sessionId,
    isWorkedOn,
    owner,
  }: { sessionId: string; owner: string | null } & Pick<RecoveryOptions, "isWorkedOn">,
): Promise<void> {
  const claim = await store.claim({ sessionId, node });
  // A worker of ours that began meanwhile settles the session by itself.
  if (!claim.ok || isWorkedOn(sessionId)) return;
  failpoint("recovery.claimed");
  const fence = { node, epoch: claim.epoch };
  await execute({
    sessionId,
    command: (session) => takeOverFrom(session, { at: clock(), owner, cluster }),
    extras: { fence },
  });
  // A worker that began meanwhile goes on under this claim.
  if (!isWorkedOn(sessionId)) await store.release({ sessionId, ...fence });
}
