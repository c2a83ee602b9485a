import { describe, expect, it } from "vitest";
import { bucketText, costText, tickText, valueText, type Unit } from "./value-text.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MONDAY = Date.parse("2026-03-02T00:00:00.000Z");

describe("a value", () => {
  it.each<[number | null, Unit, string]>([
    [null, { is: "rate" }, "–"],
    [12_345, { is: "count" }, "12,345"],
    [1_234_567, { is: "tokens" }, "1.2M"],
    [0.9266, { is: "rate" }, "92.7%"],
    [1, { is: "rate" }, "100%"],
    [0, { is: "duration" }, "0.0 s"],
    [340, { is: "duration" }, "0.3 s"],
    [9_990, { is: "duration" }, "10 s"],
    [3_900_000, { is: "duration" }, "1 h 5 min"],
    [12.5, { is: "money", currency: "USD" }, "$12.50"],
    [0.0123, { is: "money", currency: "EUR" }, "€0.0123"],
    [3, { is: "money", currency: "credits" }, "3.00 credits"],
  ])("%j as %j is formatted as %j", (value, unit, text) => {
    expect(valueText(value, unit)).toBe(text);
  });

  it("lists the costs by currency, without zeros", () => {
    expect(costText({ USD: 2, EUR: 0, credits: 7 })).toBe("$2.00, 7.00 credits");
    expect(costText({})).toBe("–");
  });
});

describe("a bucket", () => {
  it.each([
    [MONDAY + 14 * HOUR_MS, HOUR_MS, "Mar 2, 2026, 14:00", "14:00"],
    [MONDAY, HOUR_MS, "Mar 2, 2026, 00:00", "Mar 2"],
    [MONDAY, DAY_MS, "Mar 2, 2026", "Mar 2"],
    [MONDAY, 7 * DAY_MS, "Week of Mar 2, 2026", "Mar 2"],
    [MONDAY, 28 * DAY_MS, "4 weeks from Mar 2, 2026", "Mar 2026"],
  ])("from %i of %i ms is formatted in UTC", (start, bucketMs, text, tick) => {
    expect(bucketText(start, bucketMs)).toBe(text);
    expect(tickText(start, bucketMs)).toBe(tick);
  });
});
