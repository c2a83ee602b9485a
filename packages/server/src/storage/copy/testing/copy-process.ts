import type { DatabaseLocation } from "../../open-store.ts";
import { copyDatabase } from "../copy-database.ts";

/** What the process is told, as JSON in its one argument. */
export interface CopyOrder {
  readonly from: DatabaseLocation;
  readonly to: DatabaseLocation;
  /** The failpoint at which the process ends itself, with no chance to tidy up. */
  readonly dieAt: string;
}

const { dieAt, ...locations }: CopyOrder = JSON.parse(process.argv[2] ?? "");
await copyDatabase(locations, {
  failpoint: (name) => {
    if (name === dieAt) process.kill(process.pid, "SIGKILL");
  },
});
