import { isFinal, PHASE_HISTORY_KEPT, PHASES, type Phase } from "../../domain/phase.ts";
import type { SessionFigures } from "../../storage/figures.ts";
import { durationsOf, type Durations } from "../upkeep/durations.ts";

/** How it went in one phase. */
export interface PhaseStats {
  readonly phase: Phase;
  /** That were in it in the range. */
  readonly sessions: number;
  /**
   * Spent in it by each session, the whole of it: where it was left in the range, or has lasted until now.
   * Null of a final phase, in which nothing is done any more.
   */
  readonly durationMs: Durations | null;
  /** Runs that failed and errors that were reported in it, in the range. */
  readonly errors: number;
}

/** What is asked about, `to` not included, and when. */
export interface StatsSpan {
  readonly from: number;
  readonly to: number;
  readonly now: number;
}

export function createPhaseTimes(span: StatsSpan) {
  const phases = new Map<Phase, { sessions: number; errors: number; lengthsMs: number[] }>();

  const rowOf = (phase: Phase) => {
    const known = phases.get(phase);
    if (known !== undefined) return known;
    const added = { sessions: 0, errors: 0, lengthsMs: [] };
    phases.set(phase, added);
    return added;
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
  /** Null when nobody knows. */
  readonly from: number | null;
  /** Null while it lasts. */
  readonly to: number | null;
}

function staysOf({
  phase,
  phaseHistory,
  createdAt,
  closedAt,
}: Pick<SessionFigures, "phase" | "phaseHistory" | "createdAt" | "closedAt">): readonly Stay[] {
  const first = phaseHistory[0]?.from ?? phase;
  const isCut = phaseHistory.length >= PHASE_HISTORY_KEPT || first !== "initializing";
  const entries = [
    { phase: first, from: isCut ? null : createdAt },
    ...phaseHistory.map(({ to, at }) => ({ phase: to, from: at })),
  ];
  return entries.map((entry, index) => {
    const left = phaseHistory[index]?.at;
    return { ...entry, to: left ?? closedAt };
  });
}

/** A final phase counts where it was entered: what follows is nothing. */
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

/** An error that is reported with a change of phase belongs to the phase that was left. */
function phaseAt({ phase, phaseHistory }: SessionFigures, at: number): Phase | null {
  const before = phaseHistory.findLast((change) => change.at < at);
  if (before !== undefined) return before.to;
  if (phaseHistory.length >= PHASE_HISTORY_KEPT) return null;
  return phaseHistory[0]?.from ?? phase;
}

function isWithin(at: number, { from, to }: StatsSpan): boolean {
  return at >= from && at < to;
}
