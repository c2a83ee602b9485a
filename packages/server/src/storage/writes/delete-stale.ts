import { sql } from "kysely";
import { isStale } from "../reads/stale-sessions.ts";
import { forgetReports } from "./forget-reports.ts";
import type { Transaction } from "./transaction.ts";

/** Of these sessions, deletes those that are stale still; never a conversation. Returns the ids of those that are gone. */
export async function deleteStale(
  transaction: Transaction,
  { sessionIds, before }: { readonly sessionIds: readonly string[]; readonly before: number },
): Promise<readonly string[]> {
  const { db, engine } = transaction;
  const ids =
    engine === "sqlite"
      ? sql`select value from json_each(${JSON.stringify(sessionIds)})`
      : sql`select unnest(${sessionIds}::text[])`;
  const { rows } = await sql<{ id: string }>`
    delete from "AgentSession" where "id" in (${ids}) and ${isStale({ engine }, { kind: "tracked", before })}
    returning "id"`.execute(db);
  await forgetReports(transaction);
  return rows.map(({ id }) => id);
}
