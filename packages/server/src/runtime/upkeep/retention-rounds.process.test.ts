import { existsSync, readdirSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DAY_MS, NOON } from "../../domain/testing/commands.ts";
import type { Store } from "../../storage/store.ts";
import { TestRetention, waitable } from "../testing/test-retention.ts";

let test: TestRetention;
beforeEach(async () => {
  test = await TestRetention.open();
});
afterEach(() => test.close());

/** Looks every millisecond, on clocks that the test sets. */
function ticking(store: Store = test.store) {
  const counted = test.counting(store);
  const reached = waitable();
  let monotonic = 0;
  let looked = 0;
  test.start({
    store: counted.store,
    lookEveryMs: 1,
    monotonic: () => {
      looked += 1;
      reached.check();
      return monotonic;
    },
  });
  /** Resolves when it has looked so many times more. */
  const looks = (times: number): Promise<void> => {
    const enough = looked + times;
    return reached.when(() => looked >= enough);
  };
  return {
    count: counted.count,
    looks,
    /** Resolves when so many rounds are over, and it looks for the next day. */
    rounds: async (wanted: number) => {
      await counted.runs(wanted);
      await looks(2);
    },
    pass: (ms: number) => {
      monotonic += ms;
    },
  };
}

describe("the daily round", () => {
  it("A13 comes once soon after the start, and then once a day", async () => {
    const round = ticking();
    await round.rounds(1);
    for (const days of [2, 3, 4]) {
      test.now += DAY_MS - 1;
      round.pass(DAY_MS - 1);
      await round.looks(5);
      expect(round.count()).toBe(days - 1);
      test.now += 1;
      round.pass(1);
      await round.rounds(days);
    }
  });

  it("comes once when the clock jumps ahead, not again and again", async () => {
    const round = ticking();
    await round.rounds(1);
    test.now += 400 * DAY_MS;
    await round.rounds(2);
    await round.looks(20);
    expect(round.count()).toBe(2);
  });

  it("goes on a day later when the clock is set back", async () => {
    const round = ticking();
    await round.rounds(1);
    test.now -= 400 * DAY_MS;
    round.pass(DAY_MS - 1);
    await round.looks(20);
    expect(round.count()).toBe(1);
    round.pass(1);
    await round.rounds(2);
    await round.looks(20);
    expect(round.count()).toBe(2);
  });

  it("goes on the next day after the store failed", async () => {
    let failures = 1;
    const round = ticking({
      ...test.store,
      inactiveSessions: (query) => {
        failures -= 1;
        return failures === 0
          ? Promise.reject(new Error("no database"))
          : test.store.inactiveSessions(query);
      },
    });
    await round.looks(5);
    expect(test.logged.map(({ text }) => text)).toEqual([
      "retention failed; the next try is tomorrow",
    ]);
    expect(round.count()).toBe(0);
    test.now += DAY_MS;
    await round.rounds(1);
  });

  it("ends when it is stopped, with what it is at finished, and touches nothing afterwards", async () => {
    for (let n = 0; n < 120; n += 1) await test.suspended({ at: NOON + n });
    test.now = NOON + 8 * DAY_MS;
    const retention = test.start();
    await test.nextLog();
    await retention.stop();
    const after = await test.left();
    expect(after).toHaveLength(20);
    expect(test.forgotten).toHaveLength(100);
    expect(readdirSync(test.bundles)).toHaveLength(test.forgotten.length);
  });

  it("ends at once when it is stopped before its first round", async () => {
    await test.startLate().stop();
    expect(existsSync(test.bundles)).toBe(false);
  });
});
