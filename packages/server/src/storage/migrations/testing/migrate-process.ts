import { once } from "node:events";
import { flushCompileCache } from "node:module";
import { openMigrations, type DatabaseLocation } from "../../open-store.ts";

/** What the process is told, as JSON in its one argument. */
export interface MigrationOrder {
  readonly location: DatabaseLocation;
  readonly direction: "up" | "down";
  /** The failpoint at which the process ends itself, with no chance to tidy up. */
  readonly dieAt: string | null;
}

const { location, direction, dieAt }: MigrationOrder = JSON.parse(process.argv[2] ?? "");
const failpoint = (name: string): void => {
  if (name === dieAt) process.kill(process.pid, "SIGKILL");
};
const migrations = await openMigrations(location, failpoint);
// Who is killed writes no cache at its end.
flushCompileCache();
process.stdout.write("ready\n");
await once(process.stdin, "data");
const steps = await migrations[direction]();
process.stdout.write(`${JSON.stringify(steps)}\n`);
process.stdin.destroy();
