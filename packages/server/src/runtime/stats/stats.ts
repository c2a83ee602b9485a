import type { Outcome, Phase } from "../../domain/phase.ts";
import type { RunFigures, SessionFigures } from "../../storage/ports/stats-store.ts";
import type { Store } from "../../storage/store.ts";
import { pagesOf } from "../pages.ts";
import { createGroup, createGroups, type StatsGroup } from "./stats-groups.ts";
import { createOverTime, type OverTime } from "./stats-over-time.ts";
import { createPhaseTimes, type PhaseStats, type StatsSpan } from "./stats-phases.ts";
import { rateOf, toEndedRun } from "./stats-tally.ts";

/** Sessions per read. */
const PAGE = 250;

/**
 * Statistics of the runs that ended in the range. A finalized session without runs, which tracks an external agent,
 * counts as one run from its creation.
 */
export async function readStats(
  store: Store,
  { now, ...range }: { readonly from?: number; readonly to?: number; readonly now: number },
): Promise<Stats> {
  const stats = createStats({ from: range.from ?? -Infinity, to: range.to ?? Infinity, now });
  const pages = pagesOf((after) => store.readFigures({ ...range, limit: PAGE, ...after }));
  for await (const { sessions } of pages) for (const session of sessions) stats.add(session);
  return stats.read();
}

/** Statistics of sessions and runs within a range of time. */
export interface Stats {
  /** Sessions with activity in the range. */
  readonly sessions: number;
  /** Share of interrupted sessions that continued; null if none was interrupted. */
  readonly resumeRate: number | null;
  /** Share of ended runs that completed; null if none ended. */
  readonly successRate: number | null;
  readonly total: StatsGroup;
  readonly byAgent: readonly StatsGroup[];
  readonly byProvider: readonly StatsGroup[];
  /** In the order of the phases. */
  readonly byPhase: readonly PhaseStats[];
  readonly overTime: OverTime;
}

/** Accumulates sessions. If `from` is -Infinity, the oldest session must be added first. */
export function createStats(span: StatsSpan) {
  const all = createGroup(null);
  const byAgent = createGroups();
  const byProvider = createGroups();
  const byPhase = createPhaseTimes(span);
  const overTime = createOverTime(span);
  let cutOff = 0;
  let wentOn = 0;

  function addRuns(session: SessionFigures): void {
    const ofAgent = byAgent.of(session.agentName);
    for (const group of [all, ofAgent]) group.addSession(session);
    for (const provider of new Set(session.runs.map((run) => run.provider)))
      byProvider.of(provider).addSession(session);
    for (const run of session.runs) {
      const ended = toEndedRun(run);
      for (const group of [all, ofAgent, byProvider.of(run.provider), overTime])
        group.addRun(ended);
    }
    const tracked = trackedRun(session);
    if (tracked === null) return;
    for (const group of [all, ofAgent, overTime]) group.addRun(toEndedRun(tracked));
  }

  return {
    add(session: SessionFigures): void {
      overTime.addSession(session);
      byPhase.add(session);
      addRuns(session);
      const cut = session.hasRuns ? lastCut(session) : lastApproval(session, span);
      if (cut === null) return;
      overTime.addCut(cut);
      cutOff += 1;
      if (cut.wentOn) wentOn += 1;
    },
    read(): Stats {
      const total = all.read();
      return {
        sessions: total.sessions,
        resumeRate: rateOf(wentOn, cutOff),
        successRate: total.successRate,
        total,
        byAgent: byAgent.read(),
        byProvider: byProvider.read(),
        byPhase: byPhase.read(),
        overTime: overTime.read(),
      };
    },
  };
}

/** A finalized session without runs, as a run. */
function trackedRun({
  hasRuns,
  finalized,
  createdAt,
}: SessionFigures): Omit<RunFigures, "provider" | "wentOn"> | null {
  if (hasRuns || finalized === null) return null;
  const { at: endedAt, outcome } = finalized;
  return { outcome: OUTCOME_OF[outcome], startedAt: createdAt, endedAt, usage: null };
}

const OUTCOME_OF = {
  completed: "completed",
  failed: "failed",
  abandoned: "cancelled",
} as const satisfies Record<Outcome, RunFigures["outcome"]>;

interface Cut {
  readonly at: number;
  readonly wentOn: boolean;
}

function lastCut({ runs }: SessionFigures): Cut | null {
  const cut = runs.findLast(({ outcome }) => outcome === "interrupted");
  return cut === undefined ? null : { at: cut.endedAt, wentOn: cut.wentOn };
}

const GIVEN_UP: ReadonlySet<Phase> = new Set(["failed", "abandoned"]);

/** A stop for an approval counts as the interruption of an external agent. */
function lastApproval({ phaseHistory }: SessionFigures, { from, to }: StatsSpan): Cut | null {
  const index = phaseHistory.findLastIndex(
    (change) => change.to === "approval" && change.at >= from && change.at < to,
  );
  const approval = phaseHistory[index];
  if (approval === undefined) return null;
  const next = phaseHistory[index + 1];
  return { at: approval.at, wentOn: next !== undefined && !GIVEN_UP.has(next.to) };
}
