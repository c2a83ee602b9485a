import { dutyOf } from "../../domain/kernel/duty.ts";
import { currentRunOf } from "../../domain/session.ts";
import type { StoredSession } from "../../storage/store.ts";
import { dropLeftImports } from "../bundle/store-bundle.ts";
import type { RuntimeContext } from "../context.ts";
import { takeOverFrom } from "../run/cut-run.ts";
import { sleep } from "../sleep.ts";
import { worthWarmingUp, type CutSession } from "./warm-up.ts";

/** How often a shared database is searched for abandoned sessions and lost hints. */
const LOOK_AGAIN_MS = 2_000;
/** The number of sessions per search; few when no slot is free anyway. */
const AT_ONCE = { withRoom: 500, full: 50 };

export interface RecoveryOptions {
  /** As it was when the server started. */
  readonly obstaclesNow: RuntimeContext["obstacleOf"];
  /** Whether this process works on the session. */
  readonly isWorkedOn: (sessionId: string) => boolean;
  /** Wakes a worker, which takes the session up even if another node has more room. */
  readonly takeUp: (sessionId: string) => void;
  /** Starts the agent of a session before it is needed. */
  readonly warmUp: (session: CutSession) => void;
  /** Called after each search of a shared database. */
  readonly onLook: () => void;
  readonly signal: AbortSignal;
}

/** Takes up the sessions of processes that died, and removes unfinished imports. Never rejects. */
export async function startRecovery(
  context: RuntimeContext,
  options: RecoveryOptions,
): Promise<void> {
  const { store, log } = context;
  const { signal } = options;
  const { isShared } = store;
  let isFirst = true;
  do {
    try {
      context.failpoint("recovery.begun");
      const { obstacleOf } = isFirst ? { obstacleOf: options.obstaclesNow } : context;
      const cut = await settleLeftovers({ ...context, obstacleOf }, options);
      if (isFirst) worthWarmingUp(cut, context).forEach(options.warmUp);
      isFirst = false;
      context.failpoint("recovery.settled");
      await dropLeftImports(store, signal);
      if (!isShared) return;
      options.onLook();
    } catch (err) {
      if (!signal.aborted) log.error({ err }, "abandoned sessions could not be taken up");
    }
    // Jitter keeps nodes from searching at the same moment.
    await sleep(LOOK_AGAIN_MS * (0.75 + Math.random() / 2), signal);
  } while (!signal.aborted);
}

async function settleLeftovers(
  context: RuntimeContext,
  { isWorkedOn, takeUp, signal }: RecoveryOptions,
): Promise<readonly CutSession[]> {
  const { store, node, cluster, slots } = context;
  const left = store.isShared
    ? await store.abandonedSessions({ limit: slots.isFull ? AT_ONCE.full : AT_ONCE.withRoom })
    : await store.unsettledSessions();
  const cut: CutSession[] = [];
  for (const sessionId of left) {
    if (signal.aborted || cluster.isDraining) return [];
    if (isWorkedOn(sessionId)) continue;
    // Its worker goes on with the agent.
    if (context.found.of(sessionId) !== null) {
      takeUp(sessionId);
      continue;
    }
    const loaded = await store.load(sessionId);
    if (loaded.found !== "session" || loaded.stored.owner === node) continue;
    try {
      if (isCut(loaded.stored, store))
        cut.push(...(await takeOver(context, loaded.stored, isWorkedOn)));
    } finally {
      // Also after an error: this node may own the session by now, so no other node could take it up.
      takeUp(sessionId);
    }
  }
  return cut;
}

/** Its owner is gone, it has a run that no process works on, or only the stop of another node suspended it. */
function isCut({ session, owner }: StoredSession, { isShared }: { isShared: boolean }): boolean {
  if (owner !== null) return true;
  if (!isShared) return currentRunOf(session) !== null;
  const { standing } = session;
  if (standing.status === "suspended" && standing.reason === null) return true;
  const duty = dutyOf(session);
  // A run that another node has just started is not handed over yet, and not cut.
  return duty.do === "drive" && duty.handed;
}

/** Claims the session, which succeeds only if no live node owns it, and ends the run that was cut. Returns that, if any. */
async function takeOver(
  { store, node, execute, clock, failpoint, cluster, obstacleOf }: RuntimeContext,
  stored: StoredSession,
  isWorkedOn: RecoveryOptions["isWorkedOn"],
): Promise<readonly CutSession[]> {
  const { id: sessionId, repoId, lastActiveAt } = stored.session;
  const claim = await store.claim({ sessionId, node });
  // A worker of this process that started meanwhile does this itself.
  if (!claim.ok || isWorkedOn(sessionId)) return [];
  failpoint("recovery.claimed");
  const fence = { node, epoch: claim.epoch };
  const obstacle = await obstacleOf(repoId);
  const at = clock();
  const done = await execute({
    sessionId,
    command: (session) =>
      session === null
        ? []
        : [
            ...takeOverFrom(session, stored, { at, cluster }),
            { type: "come-back", at, obstacle } as const,
          ],
    extras: { fence },
  });
  // A worker that started meanwhile goes on under this claim.
  if (!isWorkedOn(sessionId)) await store.release({ sessionId, ...fence });
  return (done.ok ? done.events : []).flatMap((event) =>
    event.type === "run.ended" && event.result.outcome === "interrupted"
      ? [{ sessionId, runId: event.runId, lastActiveAt }]
      : [],
  );
}
