import { describe, expect, it } from "vitest";
import { normaliseUsage } from "./usage.ts";

describe("usage", () => {
  it.each([
    [
      "in `usage`",
      { stopReason: "end_turn", usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 } },
      { inputTokens: 1, outputTokens: 2, totalTokens: 3 },
    ],
    [
      "at the top level",
      { inputTokens: 1, outputTokens: 2, cachedReadTokens: 9 },
      { inputTokens: 1, outputTokens: 2 },
    ],
    [
      "in `_meta.quota`",
      {
        stopReason: "end_turn",
        _meta: { quota: { token_count: { input_tokens: 1, output_tokens: 2 } } },
      },
      { inputTokens: 1, outputTokens: 2 },
    ],
    ["in `_meta.usage`", { _meta: { usage: { totalTokens: 3 } } }, { totalTokens: 3 }],
    [
      "of the whole session",
      { used: 5, size: 10, cost: { amount: 0.1, currency: "EUR" } },
      { contextTokens: 5, contextSize: 10, cost: { amount: 0.1, currency: "EUR" } },
    ],
    [
      "that is partly broken",
      { used: -5, size: 10, cost: { amount: "a lot" }, inputTokens: Number.NaN },
      { contextSize: 10 },
    ],
  ])("%s is normalised", (_where, message, expected) => {
    expect(normaliseUsage(message)).toEqual(expected);
  });

  it.each([null, 5, "x", {}, { usage: null, _meta: { quota: { token_count: null } } }])(
    "is null if there are no counts (%o)",
    (message) => {
      expect(normaliseUsage(message)).toBeNull();
    },
  );
});
