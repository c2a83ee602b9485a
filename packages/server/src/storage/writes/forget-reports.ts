import { sql, type RawBuilder } from "kysely";
import type { Transaction } from "./transaction.ts";

/** The ID of a log entry is its session, a slash and its sequence number. */
const SESSION_AND_SLASH = sql`rtrim("SetAside"."rowId", '0123456789')`;

/** Selects the row that a report is about, by table. */
const REPORTED: Readonly<Record<string, RawBuilder<unknown>>> = {
  AgentSession: sql`select 1 from "AgentSession" where "id" = "SetAside"."rowId"`,
  AgentMessage: sql`select 1 from "AgentMessage" where "id" = "SetAside"."rowId"`,
  Run: sql`select 1 from "Run" where "id" = "SetAside"."rowId"`,
  Suspension: sql`select 1 from "Suspension" where "id" = "SetAside"."rowId"`,
  QueuedMessage: sql`select 1 from "QueuedMessage" where "messageId" = "SetAside"."rowId"`,
  SessionEvent: sql`select 1 from "AgentSession"
    where "id" = substr(${SESSION_AND_SLASH}, 1, length(${SESSION_AND_SLASH}) - 1)`,
};

/**
 * After a delete, removes the reports about deleted rows. Usually there are none, which costs one query. Rows that a
 * migration quarantined have no time and stay: the report is their only copy.
 */
export async function forgetReports({ db }: Transaction): Promise<void> {
  const some = await db
    .selectFrom("SetAside")
    .select("rowId")
    .where("at", ">", 0)
    .limit(1)
    .execute();
  if (some.length === 0) return;
  const gone = Object.entries(REPORTED).map(
    ([table, row]) => sql`("tableName" = ${table} and not exists (${row}))`,
  );
  await sql`delete from "SetAside" where "at" > 0 and (${sql.join(gone, sql` or `)})`.execute(db);
}
