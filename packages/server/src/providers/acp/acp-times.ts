import { startAwakeTimer } from "../awake-timer.ts";

/** Timeouts of an agent, in milliseconds. */
export const ACP_TIMES = {
  /** For each reply while the agent starts. */
  startMs: 60_000,
  /**
   * After the reply to a prompt of an agent that sends late updates, they are read until none has come for `quietMs`, for at
   * most `lateMs`.
   */
  quietMs: 25,
  lateMs: 250,
  /** Text that may be the beginning of a secret is held back for so long. */
  heldMs: 500,
  /** For the exit of a process whose pipes have closed. */
  exitMs: 1000,
  // The steps of a stop; each begins when the one before has timed out.
  cancelMs: 3000,
  closeMs: 2000,
  endMs: 4000,
  termMs: 3000,
  /** In an urgent stop: between the end of stdin and SIGTERM, so that the agent can read the cancel. */
  heedMs: 200,
  /** In an urgent stop: after SIGTERM. */
  urgentMs: 1500,
  /** After SIGKILL. */
  killMs: 1000,
};
export type AcpTimes = Readonly<typeof ACP_TIMES>;

/** The first result. Null after the timeout, and if the first promise to settle is rejected. */
export async function within<Value>(
  ms: number,
  ...promises: readonly Promise<Value>[]
): Promise<Value | null> {
  const timeout = Promise.withResolvers<null>();
  const timer = startAwakeTimer(ms, () => timeout.resolve(null));
  try {
    return await Promise.race([timeout.promise, ...promises]);
  } catch {
    return null;
  } finally {
    timer.stop();
  }
}
