/**
 * Loaded before the program: its clock is ahead by `TEST_CLOCK_AHEAD_MS`, and the minute that the first
 * round of retention waits for passes at once. Everything else is the real program.
 */
import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers/promises";

const aheadMs = Number(process.env.TEST_CLOCK_AHEAD_MS);
const RealDate = Date;

globalThis.Date = class extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(RealDate.now() + aheadMs);
    else super(...given);
  }

  static now() {
    return RealDate.now() + aheadMs;
  }
};

const { setTimeout } = timers;
timers.setTimeout = (ms, ...rest) => setTimeout(ms === 60_000 ? 100 : ms, ...rest);
syncBuiltinESMExports();
