import type { DatabaseLocation } from "../../open-store.ts";
import { copyDatabase } from "../copy-database.ts";

/** The options of the process, as JSON in its only argument. */
export interface CopyOrder {
  readonly from: DatabaseLocation;
  readonly to: DatabaseLocation;
  /** The failpoint at which the process kills itself without cleanup. */
  readonly dieAt: string;
}

const { dieAt, ...locations }: CopyOrder = JSON.parse(process.argv[2] ?? "");
await copyDatabase(locations, {
  failpoint: (name) => {
    if (name === dieAt) process.kill(process.pid, "SIGKILL");
  },
});
