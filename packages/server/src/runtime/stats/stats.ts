import { setImmediate } from "node:timers/promises";
import type { Outcome, Phase } from "../../domain/phase.ts";
import type { RunFigures, SessionFigures } from "../../storage/figures.ts";
import type { ListPosition, Store } from "../../storage/store.ts";
import { createGroup, createGroups, type StatsGroup } from "./stats-groups.ts";
import { createOverTime, type OverTime } from "./stats-over-time.ts";
import { createPhaseTimes, type PhaseStats, type StatsSpan } from "./stats-phases.ts";
import { rateOf, toEndedRun } from "./stats-tally.ts";

/** Sessions looked at in one go; between two goes everything else has its turn. */
const PAGE = 250;

/**
 * Adds up what ended in the range: runs that were started, and sessions without any run that somebody
 * else's agent finalized, each of which counts as one run from its creation on.
 */
export async function readStats(
  store: Store,
  { now, ...range }: { readonly from?: number; readonly to?: number; readonly now: number },
): Promise<Stats> {
  const adding = createStats({ from: range.from ?? -Infinity, to: range.to ?? Infinity, now });
  let after: ListPosition | null = null;
  do {
    const page: Awaited<ReturnType<Store["readFigures"]>> = await store.readFigures({
      ...range,
      limit: PAGE,
      ...(after !== null && { after }),
    });
    for (const session of page.sessions) adding.add(session);
    after = page.next;
    await setImmediate();
  } while (after !== null);
  return adding.read();
}

/** How sessions and their runs went in a range of time. */
export interface Stats {
  /** To which something happened in it. */
  readonly sessions: number;
  /** Of sessions that were cut off, how many went on; null when none was. */
  readonly resumeRate: number | null;
  /** Of ended runs, how many completed; null when none ended. */
  readonly successRate: number | null;
  readonly total: StatsGroup;
  readonly byAgent: readonly StatsGroup[];
  readonly byProvider: readonly StatsGroup[];
  /** Phases that a session was in, in their order. */
  readonly byPhase: readonly PhaseStats[];
  readonly overTime: OverTime;
}

/** Adds sessions up, one after the other; first made first where `from` is -Infinity. */
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

/** What a session without runs came to. */
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

/** What cuts off somebody else's agent is that it stops for an approval. */
function lastApproval({ phaseHistory }: SessionFigures, { from, to }: StatsSpan): Cut | null {
  const index = phaseHistory.findLastIndex(
    (change) => change.to === "approval" && change.at >= from && change.at < to,
  );
  const approval = phaseHistory[index];
  if (approval === undefined) return null;
  const next = phaseHistory[index + 1];
  return { at: approval.at, wentOn: next !== undefined && !GIVEN_UP.has(next.to) };
}
