import { agentIdContract } from "./agent-id-contract.ts";
import { badRowsContract } from "./bad-rows-contract.ts";
import { clusterContract } from "./cluster-contract.ts";
import { commitContract } from "./commit-contract.ts";
import { countsContract } from "./counts-contract.ts";
import { deleteContract } from "./delete-contract.ts";
import { figuresContract } from "./figures-contract.ts";
import { groupCommitContract } from "./group-commit-contract.ts";
import { importContract } from "./import-contract.ts";
import { leaseContract } from "./lease-contract.ts";
import { listingContract } from "./listing-contract.ts";
import { livesContract } from "./lives-contract.ts";
import { messagesContract } from "./messages-contract.ts";
import { nodesContract } from "./nodes-contract.ts";
import { outputContract } from "./output-contract.ts";
import { outputTimesContract } from "./output-times-contract.ts";
import { queueContract } from "./queue-contract.ts";
import { recordsContract } from "./records-contract.ts";
import { repeatedContract } from "./repeated-contract.ts";
import { replacedContract } from "./replaced-contract.ts";
import { searchContract } from "./search-contract.ts";
import { sharedStore, type OpenTestStore } from "./shared-store.ts";
import { snapshotContract } from "./snapshot-contract.ts";
import { staleContract } from "./stale-contract.ts";
import { streamContract } from "./stream-contract.ts";
import { textContract } from "./text-contract.ts";
import { tokensContract } from "./tokens-contract.ts";

/** The contract of a store, for all databases. */
export function storeContract(open: OpenTestStore): void {
  // Opening a database is slow, so tests with their own sessions share one.
  const shared = sharedStore(open);
  commitContract(shared);
  replacedContract(shared);
  groupCommitContract(shared);
  outputContract(shared);
  outputTimesContract(shared);
  repeatedContract(shared);
  streamContract(shared);
  snapshotContract(shared);
  queueContract(shared);
  messagesContract(shared);
  textContract(shared);
  leaseContract(shared);
  nodesContract(shared);
  listingContract(shared, open);
  recordsContract(shared, open);
  importContract(shared, open);
  clusterContract(open);
  figuresContract(open);
  livesContract(open);
  searchContract(open);
  countsContract(open);
  agentIdContract(open);
  deleteContract(open);
  staleContract(open);
  tokensContract(open);
  badRowsContract(open);
}
