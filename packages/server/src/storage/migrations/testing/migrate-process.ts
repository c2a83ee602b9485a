import { once } from "node:events";
import { flushCompileCache } from "node:module";
import { openMigrations, type DatabaseLocation } from "../../open-store.ts";

/** The options of the process, as JSON in its only argument. */
export interface MigrationOrder {
  readonly location: DatabaseLocation;
  readonly direction: "up" | "down";
  /** The failpoint at which the process kills itself without cleanup. */
  readonly dieAt: string | null;
}

const { location, direction, dieAt }: MigrationOrder = JSON.parse(process.argv[2] ?? "");
const failpoint = (name: string): void => {
  if (name === dieAt) process.kill(process.pid, "SIGKILL");
};
const migrations = await openMigrations(location, failpoint);
// A killed process would not write its compile cache.
flushCompileCache();
process.stdout.write("ready\n");
await once(process.stdin, "data");
const steps = await migrations[direction]();
process.stdout.write(`${JSON.stringify(steps)}\n`);
process.stdin.destroy();
