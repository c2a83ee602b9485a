import { STOP_TIMES, type StopTimes } from "./process/stop-agent.ts";

/** How long to wait for an agent, in milliseconds. */
export interface AcpTimes extends StopTimes {
  /** For each answer while it starts. */
  readonly startMs: number;
  /** After an answer, how long it must be quiet to have said everything, and how long that is waited for at most. */
  readonly quietMs: number;
  readonly lateMs: number;
  /** For the end of a process whose pipes have closed. */
  readonly exitMs: number;
}

export const ACP_TIMES: AcpTimes = {
  ...STOP_TIMES,
  startMs: 60_000,
  quietMs: 25,
  lateMs: 250,
  exitMs: 1000,
};
