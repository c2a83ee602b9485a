import type { SpareAgent } from "../../providers/provider.ts";

/**
 * Agents of the default provider that have been started and have no session yet, in the folder of the repository that was
 * used last. Each has a slot, but takes it from nobody, and gives it to everybody.
 */
export interface SpareAgents {
  begin(): void;
  /** The caller's agent from now on. Null if there is none that fits. */
  take(provider: string, folder: string): SpareAgent | null;
  /** A session in the repository got an agent. */
  note(repoId: string | null): void;
  /** Ends the spare with this slot. Null if there is none. */
  evict(slot: string): Promise<void> | null;
  /** Ends all spares. */
  clear(): Promise<void>;
  /** The same, and starts no more. */
  stop(): Promise<void>;
}

export const NO_SPARES: SpareAgents = {
  begin: () => {},
  take: () => null,
  note: () => {},
  evict: () => null,
  clear: async () => {},
  stop: async () => {},
};
