import { startAwakeTimer, type AwakeTimer } from "../../providers/awake-timer.ts";
import { silentFault } from "./run-error.ts";

/** Notices an agent that gives no sign of life for too long. While it waits for a person it is not silent. */
export class SilenceWatch {
  readonly #silentMs: number;
  readonly #isWaiting: () => boolean;
  /** Runs while the agent works on the prompt; restarted by each sign of life. */
  #timer: AwakeTimer | null = null;

  constructor(silentMs: number, isWaiting: () => boolean) {
    this.#silentMs = silentMs;
    this.#isWaiting = isWaiting;
  }

  /** A sign of life. */
  hear(): void {
    this.#timer?.restart();
  }

  /** The end of the prompt. Rejects when the agent is silent, and when `failure` does. */
  async during<T>(ending: Promise<T>, failure: Promise<never>): Promise<T> {
    const { promise: silent, reject } = Promise.withResolvers<never>();
    const watch = (): void => {
      this.#timer = startAwakeTimer(
        this.#silentMs,
        () => (this.#isWaiting() ? watch() : reject(silentFault(this.#silentMs))),
        { keepsProcess: false },
      );
    };
    watch();
    try {
      return await Promise.race([ending, silent, failure]);
    } finally {
      this.#timer?.stop();
      ending.catch(() => {});
    }
  }
}
