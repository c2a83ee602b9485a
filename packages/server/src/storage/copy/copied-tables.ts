import { STAGED } from "../tables.ts";

export interface CopiedTable {
  readonly name: string;
  /** In whose order its rows are read; no two rows have the same. */
  readonly key: readonly [string, ...string[]];
  /** The column that names the session a row belongs to, if it does. */
  readonly session: string | null;
  /** What differs in the copy. */
  readonly changed?: Readonly<Record<string, null>>;
}

/** What an installation keeps, each after what it refers to. */
export const COPIED_TABLES: readonly CopiedTable[] = [
  { name: "Repo", key: ["id"], session: null },
  // Who works on a session is a matter of running servers, and none of those runs on the copy.
  { name: "AgentSession", key: ["id"], session: "id", changed: { owner: null } },
  { name: "AgentMessage", key: ["sessionId", "seq"], session: "sessionId" },
  { name: "FormerMessage", key: ["sessionId", "messageId"], session: "sessionId" },
  { name: "Run", key: ["id"], session: "sessionId" },
  { name: "SessionEvent", key: ["sessionId", "seq"], session: "sessionId" },
  { name: "QueuedMessage", key: ["messageId"], session: "sessionId" },
  { name: "Suspension", key: ["id"], session: "sessionId" },
  { name: "IdempotencyKey", key: ["scope", "key"], session: null },
  { name: "AccessToken", key: ["id"], session: null },
  { name: "SetAside", key: ["tableName", "rowId"], session: null },
];

/**
 * The leases of running servers, and what each database makes for itself out of the rest. A portal's own
 * tables stay where they are: it is there that one can go back to it.
 */
export const LEFT_OUT_TABLES: readonly string[] = [
  "NodeLease",
  "SearchDocument",
  "SearchIndex",
  "SessionTally",
];

/** Half of an import is nobody's session yet: it is left out. */
export const LEFT_OUT_SESSIONS = `select "id" from "AgentSession" where "setAside" = ${STAGED}`;
