import { sql } from "kysely";
import type { Staging } from "../ports/import-store.ts";
import { takeFromImport } from "./import-lease.ts";
import type { Transaction } from "./transaction.ts";

/** Rows removed in one go: others who write wait no longer than for that. */
const ROWS_PER_DROP = 1_000;

/** Of each of these there may be any number; what hangs on their rows goes with them. */
const LARGE_TABLES = [
  { table: "AgentMessage", key: "id" },
  { table: "SessionEvent", key: "seq" },
  { table: "Suspension", key: "id" },
  { table: "Run", key: "id" },
] as const;

/** True when nothing of the import is left. */
export async function dropImport(transaction: Transaction, staging: Staging): Promise<boolean> {
  if (!(await takeFromImport(transaction, staging))) return true;
  const { db } = transaction;
  const { sessionId } = staging;
  for (const { table, key } of LARGE_TABLES) {
    const some = sql`select ${sql.ref(key)} from ${sql.table(table)}
      where "sessionId" = ${sessionId} limit ${ROWS_PER_DROP}`;
    const removed = await sql`delete from ${sql.table(table)}
      where "sessionId" = ${sessionId} and ${sql.ref(key)} in (${some})`.execute(db);
    if (removed.numAffectedRows === BigInt(ROWS_PER_DROP)) return false;
  }
  await db.deleteFrom("AgentSession").where("id", "=", sessionId).execute();
  return true;
}
