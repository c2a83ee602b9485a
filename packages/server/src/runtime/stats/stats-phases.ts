import { isFinal, PHASE_HISTORY_KEPT, PHASES, type Phase } from "../../domain/phase.ts";
import type { SessionFigures } from "../../storage/ports/stats-store.ts";
import { durationsOf, type Durations } from "./stats-tally.ts";

/** Statistics of one phase. */
export interface PhaseStats {
  readonly phase: Phase;
  /** Sessions that were in this phase within the range. */
  readonly sessions: number;
  /**
   * Total time of each session in this phase, if it left the phase within the range or is still in it. Null for a final
   * phase, in which no work is done.
   */
  readonly durationMs: Durations | null;
  /** Failed runs and reported errors in this phase within the range. */
  readonly errors: number;
}

/** The range of the statistics, without `to`, and the current time. */
export interface StatsSpan {
  readonly from: number;
  readonly to: number;
  readonly now: number;
}

export function createPhaseTimes(span: StatsSpan) {
  const phases = new Map<Phase, { sessions: number; errors: number; lengthsMs: number[] }>();

  const rowOf = (phase: Phase) => {
    const row = phases.get(phase) ?? { sessions: 0, errors: 0, lengthsMs: [] };
    phases.set(phase, row);
    return row;
  };

  return {
    add(session: SessionFigures): void {
      const stays = staysOf(session).filter((stay) => touches(stay, span));
      for (const phase of new Set(stays.map((stay) => stay.phase))) {
        const row = rowOf(phase);
        row.sessions += 1;
        const lengths = stays.flatMap((stay) => (stay.phase === phase ? lengthOf(stay, span) : []));
        if (lengths.length > 0) row.lengthsMs.push(lengths.reduce((sum, one) => sum + one, 0));
      }
      for (const at of errorsOf(session)) {
        const phase = phaseAt(session, at);
        if (phase !== null) rowOf(phase).errors += 1;
      }
    },
    read: (): readonly PhaseStats[] =>
      PHASES.flatMap((phase) => {
        const row = phases.get(phase);
        if (row === undefined) return [];
        const { sessions, errors, lengthsMs } = row;
        return [{ phase, sessions, durationMs: durationsOf(lengthsMs), errors }];
      }),
  };
}

interface Stay {
  readonly phase: Phase;
  /** Null if unknown. */
  readonly from: number | null;
  /** Null if it has not ended. */
  readonly to: number | null;
}

function staysOf(session: SessionFigures): readonly Stay[] {
  const { phase, phaseHistory, createdAt, closedAt } = session;
  const first = phaseHistory[0]?.from ?? phase;
  const isCut = phaseHistory.length >= PHASE_HISTORY_KEPT || first !== "initializing";
  const entries = [
    { phase: first, from: isCut ? null : createdAt },
    ...phaseHistory.map(({ to, at }) => ({ phase: to, from: at })),
  ];
  return entries.map((entry, index) => ({ ...entry, to: phaseHistory[index]?.at ?? closedAt }));
}

/** A final phase counts at its beginning only. */
function touches({ phase, from, to }: Stay, span: StatsSpan): boolean {
  if (isFinal(phase)) return from !== null && isWithin(from, span);
  return (from ?? -Infinity) < span.to && (to ?? Infinity) >= span.from;
}

function lengthOf({ phase, from, to }: Stay, span: StatsSpan): readonly number[] {
  const end = to ?? span.now;
  if (isFinal(phase) || from === null || !isWithin(end, span)) return [];
  return [Math.max(0, end - from)];
}

function errorsOf({ errorsAt, runs }: SessionFigures): readonly number[] {
  return [
    ...errorsAt,
    ...runs.flatMap(({ outcome, endedAt }) => (outcome === "failed" ? [endedAt] : [])),
  ];
}

/** An error reported together with a phase change belongs to the old phase. */
function phaseAt({ phase, phaseHistory }: SessionFigures, at: number): Phase | null {
  const before = phaseHistory.findLast((change) => change.at < at);
  if (before !== undefined) return before.to;
  if (phaseHistory.length >= PHASE_HISTORY_KEPT) return null;
  return phaseHistory[0]?.from ?? phase;
}

function isWithin(at: number, { from, to }: StatsSpan): boolean {
  return at >= from && at < to;
}
