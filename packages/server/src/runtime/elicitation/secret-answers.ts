import type { JsonObject } from "../../domain/json.ts";

/**
 * The secret values of answers that no agent has got yet, by suspension. They exist only in memory: after a crash the
 * question is asked again.
 */
export interface SecretAnswers {
  /** False if there are some already: the first answer counts. */
  keep(suspensionId: string, values: JsonObject): boolean;
  of(suspensionId: string): JsonObject | null;
  forget(suspensionId: string): void;
}

/** An answer has at most 100 fields, and waits only while an agent starts. */
const MAX_KEPT = 100;

export function createSecretAnswers(): SecretAnswers {
  const kept = new Map<string, JsonObject>();
  return {
    keep: (suspensionId, values) => {
      if (kept.has(suspensionId)) return false;
      kept.set(suspensionId, values);
      const [oldest] = kept.keys();
      if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
      return true;
    },
    of: (suspensionId) => kept.get(suspensionId) ?? null,
    forget: (suspensionId) => void kept.delete(suspensionId),
  };
}
