import type { LanguageModelUsage } from "ai";
import type { JsonObject } from "../../domain/json.ts";

const COUNTS = ["inputTokens", "outputTokens", "totalTokens"] as const;

/** Null when the API did not say. */
export function toUsage(told: LanguageModelUsage): JsonObject | null {
  const { inputTokens, outputTokens } = told;
  if (inputTokens === undefined && outputTokens === undefined) return null;
  const totalTokens = told.totalTokens ?? (inputTokens ?? 0) + (outputTokens ?? 0);
  return {
    ...(inputTokens !== undefined && { inputTokens }),
    ...(outputTokens !== undefined && { outputTokens }),
    totalTokens,
  };
}

/** What several answers have used together. */
export function addUsage(used: readonly JsonObject[]): JsonObject | null {
  if (used.length === 0) return null;
  return Object.fromEntries(
    COUNTS.flatMap((name) => {
      const counts = used.map((each) => each[name]).filter((count) => typeof count === "number");
      return counts.length === 0 ? [] : [[name, counts.reduce((sum, count) => sum + count, 0)]];
    }),
  );
}
