/** Points at which tests kill the process, because a crash there has the most visible effect. */
export const FAILPOINTS = [
  "command.committed",
  "agent.started",
  "run.handing",
  "run.handed",
  "run.ending",
  "prompt.given",
  "output.stored",
  "answer.telling",
  "answer.told",
  "cancel.telling",
  "recovery.begun",
  "recovery.claimed",
  "recovery.settled",
  "recovery.taken-up",
  "stop.begun",
  "stop.suspending",
  "stop.suspended",
] as const;
export type Failpoint = (typeof FAILPOINTS)[number];

export const NO_FAILPOINT = (): void => {};
