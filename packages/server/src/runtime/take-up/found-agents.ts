import type { JsonObject } from "../../domain/json.ts";

/** An agent that an earlier server has left, alive or with the log of its end. */
export interface FoundAgent {
  /** Its ID. */
  readonly agent: string;
  readonly sessionId: string;
  readonly provider: string;
  readonly isAlive: boolean;
  /** The note of the last prompt that it got; null if it got none. */
  readonly prompt: JsonObject | null;
}

/** The agents that nobody has taken up yet, by session. */
export interface FoundAgents {
  of(sessionId: string): FoundAgent | null;
  readonly sessionIds: readonly string[];
  /** Nobody else gets it. */
  take(found: FoundAgent): void;
  /** Ends it, and removes what is left of it. */
  end(found: FoundAgent): Promise<void>;
}

export function createFoundAgents(
  found: readonly FoundAgent[],
  end: (found: FoundAgent) => Promise<void>,
): FoundAgents {
  // A dead agent may have been replaced by a living one.
  const waiting = new Set(found.toSorted((a, b) => Number(b.isAlive) - Number(a.isAlive)));
  return {
    of: (sessionId) => [...waiting].find((each) => each.sessionId === sessionId) ?? null,
    get sessionIds() {
      return [...new Set([...waiting].map(({ sessionId }) => sessionId))];
    },
    take: (agent) => void waiting.delete(agent),
    end: async (agent) => {
      waiting.delete(agent);
      await end(agent);
    },
  };
}

export const NO_AGENTS = createFoundAgents([], async () => {});

/** What a later server must know about a prompt. */
export interface PromptNote extends JsonObject {
  readonly runId: string;
  /** How often the run had been handed over before. */
  readonly attempts: number;
  /** The closed suspensions that the prompt told the agent about. */
  readonly tells: readonly string[];
  /** The tool calls whose results the prompt brought. */
  readonly results: readonly string[];
}

export function readPromptNote(note: JsonObject | null): PromptNote | null {
  const { runId, attempts, tells, results } = note ?? {};
  if (typeof runId !== "string" || typeof attempts !== "number") return null;
  return { runId, attempts, tells: textsIn(tells), results: textsIn(results) };
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}
