import { appendOutput } from "./append-output.ts";
import { addBrowser, markBrowserUsed, removeBrowsers } from "./browser-writes.ts";
import { commitChange } from "./commit-change.ts";
import { addToImport } from "./import-part.ts";
import { beginImport, dropImport, finishImport } from "./import-session.ts";
import {
  claimSession,
  dropLease,
  drainNode,
  dropOtherLeases,
  forgetNodes,
  releaseSession,
  renewLease,
} from "./lease-writes.ts";
import { keepOffer } from "./offer-writes.ts";
import {
  addRepo,
  deleteSessions,
  deleteStale,
  forgetAnswers,
  quarantine,
  removeRepo,
} from "./plain-writes.ts";
import { indexNoted } from "./search-document.ts";
import { addToken, forgetTokens, markTokenUsed, revokeToken } from "./token-writes.ts";
import { dismissUnused } from "./run-writes.ts";
import type { Transaction } from "./transaction.ts";

/** All writes by name. PostgreSQL calls them here, SQLite in its writing thread. */
export const WRITES = {
  addBrowser,
  addRepo,
  addToImport,
  addToken,
  appendOutput,
  beginImport,
  claimSession,
  commitChange,
  deleteSessions,
  deleteStale,
  dismissUnused,
  drainNode,
  dropImport,
  dropLease,
  dropOtherLeases,
  finishImport,
  forgetAnswers,
  forgetNodes,
  forgetTokens,
  indexNoted,
  keepOffer,
  markBrowserUsed,
  markTokenUsed,
  quarantine,
  releaseSession,
  removeBrowsers,
  removeRepo,
  renewLease,
  revokeToken,
} as const;

export type WriteName = keyof typeof WRITES;
export type WriteArgs<Name extends WriteName> = Parameters<(typeof WRITES)[Name]>[1];
export type WriteResult<Name extends WriteName> = Awaited<ReturnType<(typeof WRITES)[Name]>>;

/** Runs one write, in a transaction of its own or shared with others. */
export type Writer = <Name extends WriteName>(
  name: Name,
  args: WriteArgs<Name>,
  options?: { readonly durable: boolean },
) => Promise<WriteResult<Name>>;

export function callWrite<Name extends WriteName>(
  transaction: Transaction,
  name: Name,
  args: WriteArgs<Name>,
): Promise<WriteResult<Name>> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- TypeScript cannot see that a name and its arguments belong together
  const write = WRITES[name] as unknown as (
    transaction: Transaction,
    args: WriteArgs<Name>,
  ) => Promise<WriteResult<Name>>;
  return write(transaction, args);
}
