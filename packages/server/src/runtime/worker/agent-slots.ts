/** What a slot for an agent is used for; the last two can be taken away without losing anything. */
export type SlotUse = "busy" | "idle" | "waiting";

export interface AgentSlots {
  readonly limit: number;
  readonly taken: number;
  /** Those by running work, which nobody can be made to give up. */
  readonly busy: number;
  /** Whether every slot is taken by running work, so that nobody can be made to go. */
  readonly isFull: boolean;
  holds(sessionId: string): boolean;
  /** Whether other sessions wait for a slot, and this one has had its share of runs. */
  mustYield(sessionId: string): boolean;
  /** Counts a run from the session's queue, until the session is idle. */
  countRun(sessionId: string): void;
  /**
   * Takes a slot, if need be that of an idle agent, or else of one that only waits for an answer.
   * Resolves once it is really free; null when all are busy.
   */
  take(sessionId: string): Promise<void> | null;
  use(sessionId: string, use: SlotUse): void;
  /** Asks to be offered the next slot that can be had; in the order of asking. */
  wait(sessionId: string): void;
  /** Ends an agent that has nothing to do, so that another may begin elsewhere; false when there is none. */
  freeIdle(): boolean;
  /** The session needs no slot, nor does it wait for one. */
  leave(sessionId: string): void;
}

interface Slot {
  readonly use: SlotUse;
  /** Resolves when the agent that had it before is gone. */
  readonly isFree: Promise<void>;
  /** Runs in a row since the session had nothing to do. */
  readonly runs: number;
}

/** A session whose queue never ends lets others have its slot after this many runs. */
const MAX_RUNS_IN_A_ROW = 3;

/**
 * Live agents are what exhausts a machine, so their number is limited. Nobody is turned away while a
 * slot is held by an agent that has nothing to do.
 */
export function createAgentSlots({
  limit,
  evict,
  offer,
}: {
  readonly limit: number;
  /** Ends the session's agent; its slot is given away already. */
  readonly evict: (sessionId: string) => Promise<void>;
  /** A slot can be had now: the session may take it. */
  readonly offer: (sessionId: string) => void;
}): AgentSlots {
  /** Least recently used first. */
  const slots = new Map<string, Slot>();
  const waiting = new Set<string>();

  const firstWith = (use: SlotUse): string | undefined =>
    [...slots].find(([, slot]) => slot.use === use)?.[0];
  const victim = (): string | undefined => firstWith("idle") ?? firstWith("waiting");
  const canBeHad = (): boolean => slots.size < limit || victim() !== undefined;

  const set = (sessionId: string, slot: Slot): Promise<void> => {
    slots.delete(sessionId);
    slots.set(sessionId, slot);
    return slot.isFree;
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
      return slots.size;
    },
    get busy() {
      return [...slots.values()].filter(({ use }) => use === "busy").length;
    },
    get isFull() {
      return !canBeHad();
    },
    holds: (sessionId) => slots.has(sessionId),
    mustYield: (sessionId) =>
      waiting.size > 0 && (slots.get(sessionId)?.runs ?? 0) >= MAX_RUNS_IN_A_ROW,
    countRun(sessionId) {
      const held = slots.get(sessionId);
      if (held !== undefined) slots.set(sessionId, { ...held, runs: held.runs + 1 });
    },
    take(sessionId) {
      const held = slots.get(sessionId);
      if (held === undefined && !canBeHad()) return null;
      waiting.delete(sessionId);
      if (held !== undefined) return set(sessionId, { ...held, use: "busy" });
      const evicted = slots.size < limit ? undefined : victim();
      if (evicted !== undefined) slots.delete(evicted);
      const isFree = evicted === undefined ? Promise.resolve() : evict(evicted);
      return set(sessionId, { use: "busy", isFree, runs: 0 });
    },
    use(sessionId, use) {
      const held = slots.get(sessionId);
      if (held === undefined) return;
      void set(sessionId, { ...held, use, runs: use === "idle" ? 0 : held.runs });
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
      if (slots.delete(sessionId)) offerNext();
    },
  };
}
