/**
 * Preloaded into the program: advances its clock by `TEST_CLOCK_AHEAD_MS` and shortens the minute before the first
 * cleanup. Everything else is the real program.
 */
import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers/promises";

const aheadMs = Number(process.env.TEST_CLOCK_AHEAD_MS);
const RealDate = Date;

globalThis.Date = class extends RealDate {
  constructor(...args) {
    if (args.length === 0) super(RealDate.now() + aheadMs);
    else super(...args);
  }

  static now() {
    return RealDate.now() + aheadMs;
  }
};

const { setTimeout } = timers;
timers.setTimeout = (ms, ...rest) => setTimeout(ms === 60_000 ? 100 : ms, ...rest);
syncBuiltinESMExports();
