import { describe, expect, it } from "vitest";
import { countFailedAttempts } from "./failed-attempts.ts";

describe("wrong tokens", () => {
  it("are limited to ten a minute from one address", () => {
    let now = 0;
    const attempts = countFailedAttempts({ clock: () => now });
    const tried = Array.from({ length: 12 }, () => attempts.add("10.0.0.1"));
    expect(tried).toEqual([...Array.from({ length: 10 }, () => false), true, true]);
    expect(attempts.add("10.0.0.2")).toBe(false);
    now = 59_999;
    expect(attempts.add("10.0.0.1")).toBe(true);
    now = 60_000;
    expect(attempts.add("10.0.0.1")).toBe(false);
  });

  it("count for the network of an IPv6 address in every notation", () => {
    const attempts = countFailedAttempts({ clock: () => 0, limit: 1 });
    expect(attempts.add("2001:db8:0:1::1")).toBe(false);
    expect(attempts.add("2001:db8:0:1:2:3:4:5")).toBe(true);
    expect(attempts.add("2001:db8:0:2::1")).toBe(false);
    expect(attempts.add("::ffff:10.0.0.1")).toBe(false);
    expect(attempts.add("::ffff:10.0.0.2")).toBe(false);
  });

  it("are counted for a limited number of addresses; the oldest are dropped", () => {
    const attempts = countFailedAttempts({ clock: () => 0, limit: 1, maxAddresses: 3 });
    for (const address of ["a", "b", "c", "d"]) expect(attempts.add(address)).toBe(false);
    expect(attempts.add("d")).toBe(true);
    expect(attempts.add("a")).toBe(false);
  });

  it("are counted even if the clock is set back", () => {
    let now = 1_000_000;
    const attempts = countFailedAttempts({ clock: () => now, limit: 1 });
    attempts.add("a");
    now = 0;
    expect(attempts.add("a")).toBe(false);
    expect(attempts.add("a")).toBe(true);
  });
});
