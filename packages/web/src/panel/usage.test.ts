import { expect, it } from "vitest";
import { contextOf, usageOf, usageText } from "./usage.ts";

const run = (usage: Record<string, unknown> | null) => ({ usage });

it("adds up the reported usage of runs", () => {
  const usage = usageOf([
    run({ inputTokens: 100, outputTokens: 20, cost: { amount: 0.25, currency: "USD" } }),
    run({ totalTokens: 1_000, cost: { amount: 0.25, currency: "USD" } }),
    run({ inputTokens: "many", cost: 3 }),
    run(null),
  ]);
  expect(usage).toEqual({
    inputTokens: 100,
    outputTokens: 20,
    totalTokens: 1_120,
    cost: new Map([["USD", 0.5]]),
  });
  expect(usage === null ? "" : usageText(usage)).toBe("1.1K tokens, $0.50");
});

it("is null without reported usage", () => {
  expect(usageOf([])).toBeNull();
  expect(usageOf([run(null), run({}), run({ contextTokens: 5 })])).toBeNull();
});

it("formats small amounts and unknown currencies", () => {
  const text = (amount: number, currency: string) =>
    usageText({
      inputTokens: 0,
      outputTokens: 0,
      totalTokens: 0,
      cost: new Map([[currency, amount]]),
    });
  expect([text(0.0123, "USD"), text(3, "credits")]).toEqual(["$0.0123", "3.00 credits"]);
});

it("takes the use of the context window from the last run that reported it", () => {
  const full = run({ contextTokens: 50, contextSize: 200 });
  expect(contextOf([run({ contextTokens: 1, contextSize: 200 }), full, run(null)])).toEqual({
    used: 50,
    size: 200,
    share: 0.25,
  });
  expect(contextOf([run({ contextTokens: 50 })])).toBeNull();
  expect(contextOf([])).toBeNull();
});
