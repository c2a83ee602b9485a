/** The kind of work that the agent reports. Rules about messages do not depend on it. */
export const PHASES = [
  "initializing",
  "investigating",
  "planning",
  "approval",
  "executing",
  "validating",
  "completed",
  "failed",
  "abandoned",
] as const;
export type Phase = (typeof PHASES)[number];

export const OUTCOMES = ["completed", "failed", "abandoned"] as const;
export type Outcome = (typeof OUTCOMES)[number];

export interface PhaseChange {
  readonly from: Phase;
  readonly to: Phase;
  readonly at: number;
}

/** The session's row keeps this many changes; the event log keeps all. */
export const PHASE_HISTORY_KEPT = 200;

const RESUMABLE: ReadonlySet<Phase> = new Set(["investigating", "planning", "approval"]);
const FINAL: ReadonlySet<Phase> = new Set(OUTCOMES);

export function isResumable(phase: Phase): boolean {
  return RESUMABLE.has(phase);
}

export function isFinal(phase: Phase): boolean {
  return FINAL.has(phase);
}
