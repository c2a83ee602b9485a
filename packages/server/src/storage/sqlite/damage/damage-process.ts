/** Checks a database at a low pace in a process of its own, which can be ended at any moment. Prints the findings as JSON. */
import { findDamage } from "./find-damage.ts";

/** The pause after a table, as a multiple of the time it took. */
const PAUSE_FACTOR = 9;

const [file = ""] = process.argv.slice(2);
const parent = process.ppid;

const findings = findDamage(file, (tookMs) => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, tookMs * PAUSE_FACTOR);
  // The server was killed.
  if (process.ppid !== parent) process.exit(1);
});
process.stdout.write(JSON.stringify(findings));
