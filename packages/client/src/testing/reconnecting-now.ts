import { RECONNECTING, type Reconnecting } from "../reconnecting.ts";

export interface ReconnectingNow extends Reconnecting {
  /** How long the stream would have waited, each time. */
  readonly waits: number[];
  /** How often it began to watch for silence. */
  readonly watches: () => number;
  /** The server has been silent for too long. */
  readonly fallSilent: () => void;
}

/** Comes back at once, with a clock that stands still, and is silent only when told. */
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
