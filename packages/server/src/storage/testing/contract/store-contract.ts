import { commitContract } from "./commit-contract.ts";
import { countsContract } from "./counts-contract.ts";
import { deleteContract } from "./delete-contract.ts";
import { groupCommitContract } from "./group-commit-contract.ts";
import { leaseContract } from "./lease-contract.ts";
import { listingContract } from "./listing-contract.ts";
import { livesContract } from "./lives-contract.ts";
import { outputContract } from "./output-contract.ts";
import { queueContract } from "./queue-contract.ts";
import { recordsContract } from "./records-contract.ts";
import { searchContract } from "./search-contract.ts";
import type { OpenTestStore } from "./shared-store.ts";
import { snapshotContract } from "./snapshot-contract.ts";
import { streamContract } from "./stream-contract.ts";

/** What every store promises, whatever database is under it. */
export function storeContract(open: OpenTestStore): void {
  commitContract(open);
  groupCommitContract(open);
  livesContract(open);
  outputContract(open);
  streamContract(open);
  snapshotContract(open);
  queueContract(open);
  listingContract(open);
  searchContract(open);
  countsContract(open);
  leaseContract(open);
  recordsContract(open);
  deleteContract(open);
}
