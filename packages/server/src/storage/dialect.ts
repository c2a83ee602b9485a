import type { RawBuilder } from "kysely";
import type { Database, EventRow } from "./tables.ts";

/** The SQL in which the two databases differ. */
export interface Dialect {
  readonly engine: "sqlite" | "postgres";
  /** The clock of the database, in epoch milliseconds, as text. All nodes share it. */
  readonly clock: string;
  /** The same for the query builder. */
  readonly now: RawBuilder<number>;
  /** Added to a select, locks its rows until the transaction ends. */
  readonly forUpdate: string;
  /** Whether a session's row is read faster as one JSON text. */
  readonly readsRowsAsText: boolean;
  /** A subquery that returns these texts, with a single parameter. */
  list(texts: readonly string[]): RawBuilder<unknown>;
  /** Replaces `?` by the placeholders of the database. */
  placeholders(text: string): string;
  /** Whether the search takes in a new document a moment after its write: see `indexNoted`. */
  readonly indexesLater: boolean;
  /** Matches search documents that contain words with all these prefixes. */
  matches(prefixes: readonly string[]): RawBuilder<boolean>;
  addEntries(at: Queryable, entries: readonly EventRow[]): Promise<void>;
  addDocuments(at: Queryable, documents: readonly SearchDocument[]): Promise<void>;
  /** Whether a transaction that writes is the only one, so that nothing it has read changes. */
  readonly writesAlone: boolean;
  /** Lets no other transaction add or revoke tokens until this one ends. */
  lockTokens(db: Database): Promise<void>;
  /** Lets no other transaction make a counted claim until this one ends. */
  lockClaims(db: Database): Promise<void>;
}

export interface SearchDocument {
  readonly sessionId: string;
  /** Null for the document with the session's title and purpose. */
  readonly messageId: string | null;
  /** Without duplicates. */
  readonly words: readonly string[];
}

/** Runs a statement synchronously. Rows have the column names of the statement. */
export type RunAtOnce = (text: string, parameters: readonly unknown[]) => readonly unknown[];

/** Runs a statement on a server, which parses and plans each text only once per connection. */
export type AskServer = (
  text: string,
  parameters: readonly unknown[],
) => Promise<readonly unknown[]>;

/** A connection or a transaction. */
export interface Queryable {
  readonly db: Database;
  readonly dialect: Dialect;
  /** Only where the driver is synchronous. */
  readonly run?: RunAtOnce;
  /** Only where statements go to a server. */
  readonly ask?: AskServer;
  /**
   * Only in transactions on a server: sends a statement without waiting for its reply. It runs after all earlier ones. The
   * transaction waits for it before it ends, and fails with it.
   */
  readonly send?: (text: string, parameters: readonly unknown[]) => void;
}
