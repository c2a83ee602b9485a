import fc from "fast-check";
import { expect, it } from "vitest";
import { toTime, toTimeOrNull } from "./to-time.ts";

it("formats every time like the platform", () => {
  const moment = fc.oneof(
    fc.integer({ min: 0, max: 253_402_300_799_999 }),
    fc.integer({ min: -8_640_000_000_000_000, max: 8_640_000_000_000_000 }),
    fc.double({ min: 0, max: 4_000_000_000_000, noNaN: true }),
    fc.constantFrom(0, 1, 999, 1_000, 59_999, 86_399_999, 86_400_000, 951_782_400_000),
  );
  fc.assert(
    fc.property(moment, (at) => {
      expect(toTime(at)).toBe(new Date(at).toISOString());
    }),
    { numRuns: 3_000 },
  );
});

it("refuses invalid times, and keeps null", () => {
  expect(() => toTime(Number.NaN)).toThrow(RangeError);
  expect(toTimeOrNull(null)).toBeNull();
});
