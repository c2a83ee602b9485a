import { expect, it } from "vitest";
import { patiently } from "./patiently.ts";

function tokenizer(costsMs: readonly number[]) {
  const limits: number[] = [];
  let now = 0;
  const tokenize = (limit: number): string => {
    const cost = costsMs[limits.length] ?? 0;
    limits.push(limit);
    now += Math.min(cost, limit);
    return cost <= limit ? "coloured" : "cut off";
  };
  return { limits, run: () => patiently(tokenize, () => now) };
}

it("lines are tokenized once if that is fast", () => {
  const { limits, run } = tokenizer([20]);
  expect(run()).toBe("coloured");
  expect(limits).toHaveLength(1);
});

it("lines that took too long the first time are coloured in the end", () => {
  const { limits, run } = tokenizer([900, 800]);
  expect(run()).toBe("coloured");
  expect(limits).toEqual([500, 20_000]);
});
