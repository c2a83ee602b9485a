import { STAGED } from "../tables.ts";

export interface CopiedTable {
  readonly name: string;
  /** The unique key that orders its rows. */
  readonly key: readonly [string, ...string[]];
  /** The column with the session's ID, if any. */
  readonly session: string | null;
  /** Columns that differ in the copy. */
  readonly changed?: Readonly<Record<string, null>>;
}

/** The tables of an installation, each after the tables it references. */
export const COPIED_TABLES: readonly CopiedTable[] = [
  { name: "Repo", key: ["id"], session: null },
  // No server runs on the copy, so its sessions have no owner.
  { name: "AgentSession", key: ["id"], session: "id", changed: { owner: null } },
  { name: "AgentMessage", key: ["sessionId", "seq"], session: "sessionId" },
  { name: "FormerMessage", key: ["sessionId", "messageId"], session: "sessionId" },
  { name: "Run", key: ["id"], session: "sessionId" },
  { name: "SessionEvent", key: ["sessionId", "seq"], session: "sessionId" },
  { name: "QueuedMessage", key: ["messageId"], session: "sessionId" },
  { name: "Suspension", key: ["id"], session: "sessionId" },
  { name: "IdempotencyKey", key: ["scope", "key"], session: null },
  { name: "AccessToken", key: ["id"], session: null },
  { name: "Browser", key: ["id"], session: null },
  { name: "ProviderOffer", key: ["provider"], session: null },
  { name: "SetAside", key: ["tableName", "rowId"], session: null },
];

/**
 * Leases of running servers, and tables derived from the others. A portal's own tables stay in the original, where a
 * rollback needs them.
 */
export const LEFT_OUT_TABLES: readonly string[] = [
  "NodeLease",
  "SearchDocument",
  "SearchIndex",
  "SearchTodo",
  "SessionTally",
];

/** Unfinished imports are not copied. */
export const LEFT_OUT_SESSIONS = `select "id" from "AgentSession" where "setAside" = ${STAGED}`;
