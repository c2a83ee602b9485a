import type { Command } from "../../domain/kernel/command.ts";
import { dutyOf } from "../../domain/kernel/duty.ts";
import { currentRunOf, openSuspensionsOf, stateOf, type Session } from "../../domain/session.ts";
import type { Fence, StoredSession } from "../../storage/store.ts";
import type { RuntimeContext } from "../context.ts";
import { newSend } from "../requests/send-message.ts";
import { takeBack } from "./hand-over.ts";
import { seconds, type LossReason } from "../cluster/node-lease.ts";

/** A run whose agent was ended before that could be stored, and the reason. */
export interface CutRun {
  readonly runId: string;
  readonly why: LossReason;
}

/** Stores that the server stops. A failure is logged, and found at the next start. */
export async function storeSuspended(
  { clock, cluster, execute, log }: RuntimeContext,
  sessionId: string,
  fence: Fence | null,
  reservedRunId: string | null,
): Promise<void> {
  const about = { reservedRunId, isAlone: cluster.isAlone, isOwner: fence !== null };
  await execute({
    sessionId,
    command: (session) => suspendForShutdown(session, { at: clock(), ...about }),
    ...(fence !== null && { extras: { fence } }),
  }).catch((err: unknown) => {
    log.error({ sessionId, err }, "a session could not be suspended");
  });
}

/** The server stops. On a shared database a run at work is cut off; another node goes on with all else. */
function suspendForShutdown(
  session: Session | null,
  { at, reservedRunId, isAlone, isOwner }: Shutdown,
): readonly Command[] {
  const suspend: readonly Command[] = [
    ...takeBack(session, at, reservedRunId),
    { type: "suspend", at, cause: "shutdown" },
  ];
  if (isAlone) return suspend;
  const isAtWork = isOwner && dutyOf(session).do === "drive";
  return isAtWork ? [...suspend, { type: "come-back", at, obstacle: null }] : [];
}

interface Shutdown {
  readonly at: number;
  /** The run for which an agent was reserved, if that agent has not been prompted. */
  readonly reservedRunId: string | null;
  /** No other node uses the database. */
  readonly isAlone: boolean;
  /** This node owns the session. */
  readonly isOwner: boolean;
}

/** Ends a run that lost its agent: its outcome is unknown. Without a known reason it counts as a crash. */
export function cutOff(
  runId: string,
  { at, cut }: { readonly at: number; readonly cut: CutRun | null },
): readonly Command[] {
  if (cut?.runId !== runId)
    return [
      { type: "suspend", at, cause: "crash" },
      { type: "come-back", at, obstacle: null },
    ];
  const result = { outcome: "interrupted", reason: cut.why() } as const;
  return [{ type: "end-run", at, runId, result, usage: null }];
}

/**
 * This node has claimed the session of an owner that is gone. The run that was running at that time is cut off; a session
 * that waits or rests goes on, even if an answer or a message has started a run since. An owner without a lease row has
 * stopped, or its successor found it dead. An owner whose lease ran out may only have lost the database.
 */
export function takeOverFrom(
  session: Session,
  claimed: Pick<StoredSession, "session" | "owner">,
  { at, cluster }: { readonly at: number } & Pick<RuntimeContext, "cluster">,
): readonly Command[] {
  const isSameRun = currentRunOf(session)?.id === currentRunOf(claimed.session)?.id;
  if (stateOf(claimed.session) !== "running" || !isSameRun) return [];
  const suspend: Command = { type: "suspend", at, cause: "crash" };
  const duty = dutyOf(session);
  const hasExpired = cluster.nodes.some(({ node }) => node === claimed.owner);
  if (stateOf(session) !== "running") return [];
  if (duty.do !== "drive" || !duty.handed || !hasExpired) return [suspend];
  const { recentAbsenceMs } = cluster;
  const reason =
    recentAbsenceMs === null
      ? "the node it ran on stopped, or lost its connection to the database"
      : `the database was unreachable for ${seconds(recentAbsenceMs)}`;
  const result = { outcome: "interrupted", reason } as const;
  return [{ type: "end-run", at, runId: duty.runId, result, usage: null }];
}

/**
 * Queues a message that asks the agent to continue an interrupted run, at most `most` times in a row: an agent that
 * crashes its server must not do so for ever.
 */
export async function continueInterrupted(
  context: RuntimeContext,
  sessionId: string,
  runId: string,
  most = 0,
): Promise<void> {
  if (most === 0) return;
  const { store, execute, nudge, log } = context;
  try {
    const runs = await store.readRuns(sessionId);
    const others = runs.findLastIndex(
      ({ status }) => status !== "interrupted" && status !== "queued",
    );
    const interrupted = runs.slice(others + 1).filter(({ status }) => status === "interrupted");
    const run = interrupted.find(({ id }) => id === runId);
    if (run === undefined || interrupted.length > most) return;
    const { provider, model } = run;
    const command = newSend(context, { provider, model });
    const executed = await execute({
      sessionId,
      command: (session) =>
        session === null || session.queue.length > 0 || openSuspensionsOf(session).length > 0
          ? []
          : command,
      extras: { contents: { [command.messageId]: { type: "text", text: GO_ON } } },
    });
    if (executed.ok && executed.events.length > 0) nudge(sessionId);
  } catch (err) {
    log.error({ sessionId, err }, "an interrupted run could not be continued");
  }
}

const GO_ON =
  "The work on the last message was cut off when the server ended. See what is done already, and go on from there.";
