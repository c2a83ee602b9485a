/**
 * Moments at which a crash would show most. A test may give a function that is told of them, to end the
 * process there; everybody else gives none.
 */
export const FAILPOINTS = [
  "command.committed",
  "agent.started",
  "run.handing",
  "run.handed",
  "run.ending",
  "answer.telling",
  "recovery.begun",
  "recovery.claimed",
  "recovery.settled",
  "stop.begun",
  "stop.suspending",
  "stop.suspended",
] as const;
export type Failpoint = (typeof FAILPOINTS)[number];

export const NO_FAILPOINT = (): void => {};
