/** The state of the agent in a slot. An `idle` or `waiting` agent can be evicted without loss. */
export type SlotUse = "busy" | "idle" | "waiting";

export interface AgentSlots {
  readonly limit: number;
  readonly taken: number;
  /** Slots with a running agent, which cannot be evicted. */
  readonly busy: number;
  /** Whether every slot has a running agent, so that none can be evicted. */
  readonly isFull: boolean;
  holds(sessionId: string): boolean;
  /** Whether other sessions wait for a slot, and this one has had its share of runs. */
  mustYield(sessionId: string): boolean;
  /** Counts a run from the session's queue, until the session is idle. */
  countRun(sessionId: string): void;
  /**
   * Takes a slot. If none is free, evicts an idle agent, or else one that waits for an answer.
   * Resolves when the evicted agent is gone. Null when all slots are busy.
   */
  take(sessionId: string): Promise<void> | null;
  use(sessionId: string, use: SlotUse): void;
  /** Queues the session for the next slot that can be taken. */
  wait(sessionId: string): void;
  /** Evicts an idle agent, so that another node may start one. False when there is none. */
  freeIdle(): boolean;
  /** Frees the session's slot and removes the session from the queue for slots. */
  leave(sessionId: string): void;
}

interface Slot {
  readonly use: SlotUse;
  /** Resolves when the previous agent of the slot is gone. */
  readonly isFree: Promise<void>;
  /** Runs in a row since the session had nothing to do. */
  readonly runs: number;
}

/** A session whose queue never ends lets others have its slot after this many runs. */
const MAX_RUNS_IN_A_ROW = 3;

/** Limits the number of live agents, which use most of a machine's memory. Idle agents make room for others. */
export function createAgentSlots({
  limit,
  evict,
  offer,
}: {
  readonly limit: number;
  /** Ends the session's agent. Its slot is already taken by another session. */
  readonly evict: (sessionId: string) => Promise<void>;
  /** Tells a queued session that it may take a slot now. */
  readonly offer: (sessionId: string) => void;
}): AgentSlots {
  /** Least recently used first. */
  const slots = new Map<string, Slot>();
  const waiting = new Set<string>();

  const firstWith = (use: SlotUse): string | undefined =>
    [...slots].find(([, slot]) => slot.use === use)?.[0];
  const victim = (): string | undefined => firstWith("idle") ?? firstWith("waiting");
  const isAvailable = (): boolean => slots.size < limit || victim() !== undefined;

  const set = (sessionId: string, slot: Slot): Promise<void> => {
    slots.delete(sessionId);
    slots.set(sessionId, slot);
    return slot.isFree;
  };

  const offerNext = (): void => {
    const [next] = waiting;
    if (next === undefined || !isAvailable()) return;
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
      return !isAvailable();
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
      if (held === undefined && !isAvailable()) return null;
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
