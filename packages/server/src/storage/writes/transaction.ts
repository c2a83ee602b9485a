import { sql, type RawBuilder } from "kysely";
import type { Place } from "../prepared.ts";
import { runWrittenOut } from "./written-out.ts";

/** What every write runs in: a transaction that the engine opened and will commit. */
export type Transaction = Place;

/** The clock of the database, the same for all nodes, in epoch milliseconds. */
export function databaseNow({ engine }: Pick<Transaction, "engine">): RawBuilder<number> {
  return engine === "sqlite"
    ? sql<number>`cast(unixepoch('subsec') * 1000 as integer)`
    : sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`;
}

export function greatest(
  { engine }: Pick<Transaction, "engine">,
  column: string,
  value: number,
): RawBuilder<number> {
  return engine === "sqlite"
    ? sql<number>`max(${sql.ref(column)}, ${value})`
    : sql<number>`greatest(${sql.ref(column)}, ${value})`;
}

export interface SessionLock {
  readonly version: number;
  readonly lastSeq: number;
  readonly owner: string | null;
  readonly epoch: number;
  readonly updatedAt: number;
}

/** Holds the session's row until the transaction ends, so that sequence order is commit order. */
export async function lockSession(
  transaction: Transaction,
  sessionId: string,
): Promise<SessionLock | undefined> {
  const [lock] = await runWrittenOut<SessionLock>(
    transaction,
    `select "version", "lastSeq", "owner", "epoch", "updatedAt" from "AgentSession" where "id" = ?${
      transaction.engine === "postgres" ? " for update" : ""
    }`,
    [sessionId],
  );
  return lock;
}
