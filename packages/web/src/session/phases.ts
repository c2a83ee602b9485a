import type { Phase, Session } from "@holdfast/protocol";

/** The time spent in a phase. */
export interface PhaseStay {
  readonly phase: Phase;
  /** Null when the start is no longer stored. */
  readonly since: string | null;
  /** Null when unknown, and for a final phase. */
  readonly durationMs: number | null;
  readonly current: boolean;
}

const FINAL: ReadonlySet<Phase> = new Set(["completed", "failed", "abandoned"]);

/** The phases of a session in order, the current one last. */
export function phaseStays(
  session: Pick<Session, "phase" | "phaseHistory" | "createdAt" | "finalizedAt" | "archivedAt">,
  nowMs: number,
): readonly PhaseStay[] {
  const { phase, phaseHistory, createdAt } = session;
  const past = phaseHistory.map(({ from, durationMs }, index): PhaseStay => {
    const before = phaseHistory[index - 1];
    const since = before?.at ?? (durationMs === null ? null : createdAt);
    return { phase: from, since, durationMs, current: false };
  });
  const since = phaseHistory.at(-1)?.at ?? createdAt;
  const end = session.finalizedAt ?? session.archivedAt;
  const untilMs = end === null ? nowMs : Date.parse(end);
  const durationMs = FINAL.has(phase) ? null : Math.max(0, untilMs - Date.parse(since));
  return [...past, { phase, since, durationMs, current: true }];
}
