import { expect, it } from "vitest";
import { backoffMs } from "./backoff.ts";

it("doubles with each failure up to its maximum and is shortened by up to half", () => {
  const pauses = (random: number): readonly number[] =>
    [0, 1, 2, 3, 60].map((failures) => backoffMs(failures, { firstMs: 100, maxMs: 500, random }));
  expect(pauses(1)).toEqual([100, 200, 400, 500, 500]);
  expect(pauses(0)).toEqual([50, 100, 200, 250, 250]);
});
