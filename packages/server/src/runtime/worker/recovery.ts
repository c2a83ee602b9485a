import { setTimeout as pause } from "node:timers/promises";
import { dutyOf } from "../../domain/kernel/duty.ts";
import { currentRunOf } from "../../domain/session.ts";
import type { StoredSession } from "../../storage/store.ts";
import { dropLeftImports } from "../bundle/drop-import.ts";
import type { RuntimeContext } from "../context.ts";
import { takeOverFrom } from "../run/cut-run.ts";

/** A shared database is looked at this often for what others have left, and for hints that were lost. */
const LOOK_AGAIN_MS = 2_000;
/** Looked at in one go; little where there is no place for an agent anyway. */
const AT_ONCE = { withRoom: 500, full: 50 };

export interface RecoveryOptions {
  /** Whether this process is at work on the session. */
  readonly isWorkedOn: (sessionId: string) => boolean;
  /** Hands the session to a worker, which takes it up even if another node has more room. */
  readonly takeUp: (sessionId: string) => void;
  /** After each look at a shared database. */
  readonly onLook: () => void;
  readonly signal: AbortSignal;
}

/**
 * Takes up the sessions that processes which died were at work on, and removes what imports have left.
 * Never rejects.
 */
export async function startRecovery(
  context: RuntimeContext,
  options: RecoveryOptions,
): Promise<void> {
  const { store, log } = context;
  const { signal } = options;
  const isShared = store.engine === "postgres";
  do {
    try {
      context.failpoint("recovery.begun");
      await settleLeftovers(context, options);
      context.failpoint("recovery.settled");
      await dropLeftImports(store, signal);
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
        await takeOver(context, { ...loaded.stored, isWorkedOn });
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
  { store, node, execute, clock, failpoint, cluster, obstacleOf }: RuntimeContext,
  {
    session,
    isWorkedOn,
    owner,
  }: Pick<StoredSession, "session" | "owner"> & Pick<RecoveryOptions, "isWorkedOn">,
): Promise<void> {
  const { id: sessionId, repoId } = session;
  const claim = await store.claim({ sessionId, node });
  // A worker of ours that began meanwhile settles the session by itself.
  if (!claim.ok || isWorkedOn(sessionId)) return;
  failpoint("recovery.claimed");
  const fence = { node, epoch: claim.epoch };
  const obstacle = await obstacleOf(repoId);
  const at = clock();
  await execute({
    sessionId,
    command: (found) =>
      found === null
        ? []
        : [
            ...takeOverFrom(found, { at, owner, cluster }),
            { type: "come-back", at, obstacle } as const,
          ],
    extras: { fence },
  });
  // A worker that began meanwhile goes on under this claim.
  if (!isWorkedOn(sessionId)) await store.release({ sessionId, ...fence });
}
