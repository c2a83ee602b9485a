/** What a place for an agent is used for; the last two can be taken away without losing anything. */
export type PlaceUse = "busy" | "idle" | "waiting";

export interface Places {
  readonly limit: number;
  readonly taken: number;
  /** Those by running work, which nobody can be made to give up. */
  readonly busy: number;
  /** Whether every place is taken by running work, so that nobody can be made to go. */
  readonly isFull: boolean;
  /** Whether anybody waits for a place. */
  readonly isAwaited: boolean;
  holds(sessionId: string): boolean;
  /**
   * Takes a place, if need be that of an idle agent, or else of one that only waits for an answer.
   * Resolves once it is really free; null when all are busy.
   */
  take(sessionId: string): Promise<void> | null;
  use(sessionId: string, use: PlaceUse): void;
  /** Asks to be offered the next place that can be had; in the order of asking. */
  wait(sessionId: string): void;
  /** Ends an agent that has nothing to do, so that another may begin elsewhere; false when there is none. */
  freeIdle(): boolean;
  /** The session needs no place, nor does it wait for one. */
  leave(sessionId: string): void;
}

interface Place {
  readonly use: PlaceUse;
  /** Resolves when the agent that had it before is gone. */
  readonly isFree: Promise<void>;
}

/**
 * Live agents are what exhausts a machine, so their number is limited. Nobody is turned away while a
 * place is held by an agent that has nothing to do.
 */
export function createPlaces({
  limit,
  evict,
  offer,
}: {
  readonly limit: number;
  /** Ends the session's agent; its place is given away already. */
  readonly evict: (sessionId: string) => Promise<void>;
  /** A place can be had now: the session may take it. */
  readonly offer: (sessionId: string) => void;
}): Places {
  /** Least recently used first. */
  const places = new Map<string, Place>();
  const waiting = new Set<string>();

  const firstWith = (use: PlaceUse): string | undefined =>
    [...places].find(([, place]) => place.use === use)?.[0];
  const victim = (): string | undefined => firstWith("idle") ?? firstWith("waiting");
  const canBeHad = (): boolean => places.size < limit || victim() !== undefined;

  const set = (sessionId: string, place: Place): Promise<void> => {
    places.delete(sessionId);
    places.set(sessionId, place);
    return place.isFree;
  };

  const offerNext = (): void => {
    const [next] = waiting;
    if (next === undefined || !canBeHad()) return;
    waiting.delete(next);
    offer(next);
  };

  return {
    limit,
    get taken() {
      return places.size;
    },
    get busy() {
      return [...places.values()].filter(({ use }) => use === "busy").length;
    },
    get isFull() {
      return !canBeHad();
    },
    get isAwaited() {
      return waiting.size > 0;
    },
    holds: (sessionId) => places.has(sessionId),
    take(sessionId) {
      const held = places.get(sessionId);
      if (held === undefined && !canBeHad()) return null;
      waiting.delete(sessionId);
      if (held !== undefined) return set(sessionId, { ...held, use: "busy" });
      const evicted = places.size < limit ? undefined : victim();
      if (evicted === undefined) return set(sessionId, { use: "busy", isFree: Promise.resolve() });
      places.delete(evicted);
      return set(sessionId, { use: "busy", isFree: evict(evicted) });
    },
    use(sessionId, use) {
      const held = places.get(sessionId);
      if (held === undefined) return;
      void set(sessionId, { ...held, use });
      if (use !== "busy") offerNext();
    },
    wait(sessionId) {
      waiting.add(sessionId);
      offerNext();
    },
    freeIdle() {
      const idle = firstWith("idle");
      if (idle !== undefined) void evict(idle);
      return idle !== undefined;
    },
    leave(sessionId) {
      waiting.delete(sessionId);
      if (places.delete(sessionId)) offerNext();
    },
  };
}
