import { RECONNECTING, type Reconnecting } from "../reconnecting.ts";

export interface ReconnectingNow extends Reconnecting {
  /** The pauses that the stream asked for. */
  readonly waits: number[];
  /** Number of times it started to watch for silence. */
  readonly watches: () => number;
  /** The server has been silent for too long. */
  readonly fallSilent: () => void;
}

/** Reconnects without a pause. The clock stands still, and silence is triggered by the test. */
export function reconnectingNow(random = 0): ReconnectingNow {
  const waits: number[] = [];
  const watching = new Set<() => void>();
  let watches = 0;
  return {
    ...RECONNECTING,
    now: () => 0,
    random: () => random,
    waits,
    watches: () => watches,
    fallSilent: () => {
      for (const callback of watching) callback();
    },
    later: (ms, callback) => {
      if (ms !== RECONNECTING.silentMs) {
        waits.push(ms);
        const soon = setImmediate(callback);
        return () => clearImmediate(soon);
      }
      watches += 1;
      watching.add(callback);
      return () => watching.delete(callback);
    },
  };
}
