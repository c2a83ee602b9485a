import type { Command } from "../../domain/kernel/command.ts";
import { dutyOf } from "../../domain/kernel/duty.ts";
import { currentRunOf, stateOf, type Session } from "../../domain/session.ts";
import type { RuntimeContext } from "../context.ts";
import { seconds, type LossReason } from "../cluster/node-lease.ts";

/** A run whose agent was ended without a record of it, and why. */
export interface CutRun {
  readonly runId: string;
  readonly why: LossReason;
}

/** For the run that was stored as given to an agent which was gone before it got it. */
export function takeBack(
  session: Session | null,
  { at, given }: { readonly at: number; readonly given: string | null },
): Command | null {
  const run = session === null ? null : currentRunOf(session);
  return run !== null && run.id === given && run.handed
    ? { type: "requeue-run", at, runId: run.id }
    : null;
}

/** Ends a run that no agent works on any more: nobody knows what came of it. The server went on, unless nothing is known. */
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
 * The session's owner is gone, and this node has claimed the session: work is cut off, what waits or rests goes on. A node whose lease was dropped has ended, or was found
 * dead by its successor. One whose lease ran out may as well have lost the database, as perhaps all nodes have.
 */
export function takeOverFrom(
  session: Session,
  { at, owner, cluster }: { at: number; owner: string | null } & Pick<RuntimeContext, "cluster">,
): readonly Command[] {
  const suspend: Command = { type: "suspend", at, cause: "crash" };
  const duty = dutyOf(session);
  const hasRunOut = cluster.nodes.some(({ node }) => node === owner);
  if (stateOf(session) !== "running") return [];
  if (duty.do !== "drive" || !duty.handed || !hasRunOut) return [suspend];
  const { recentAbsenceMs } = cluster;
  const reason =
    recentAbsenceMs === null
      ? "the node it ran on stopped, or lost its connection to the database"
      : `the database was unreachable for ${seconds(recentAbsenceMs)}`;
  const result = { outcome: "interrupted", reason } as const;
  return [{ type: "end-run", at, runId: duty.runId, result, usage: null }];
}
