import { toRepo } from "../rows/repo-row.ts";
import { sql } from "kysely";
import type { Repo } from "../store.ts";
import type { SetAsideRow } from "../tables.ts";
import { forgetReports } from "./forget-reports.ts";
import type { Transaction } from "./transaction.ts";

export async function deleteSessions(
  transaction: Transaction,
  sessionIds: readonly string[],
): Promise<number> {
  const { db, engine } = transaction;
  const ids =
    engine === "sqlite"
      ? sql`select value from json_each(${JSON.stringify(sessionIds)})`
      : sql`select unnest(${sessionIds}::text[])`;
  const deleted = await sql`delete from "AgentSession" where "id" in (${ids})`.execute(db);
  await forgetReports(transaction);
  return Number(deleted.numAffectedRows ?? 0);
}

/** The repository as stored: a path that is known already keeps its id and its name, and takes a label. */
export async function addRepo({ db }: Transaction, repo: Repo): Promise<Repo> {
  await db
    .insertInto("Repo")
    .values({ ...repo, label: repo.label ?? null })
    .onConflict((conflict) =>
      repo.label === undefined
        ? conflict.column("path").doNothing()
        : conflict.column("path").doUpdateSet({ label: repo.label }),
    )
    .execute();
  const stored = db.selectFrom("Repo").selectAll().where("path", "=", repo.path);
  return toRepo(await stored.executeTakeFirstOrThrow());
}

export async function removeRepo(
  { db }: Transaction,
  repoId: string,
): Promise<"removed" | "missing" | "in_use"> {
  const used = await db
    .selectFrom("AgentSession")
    .select("id")
    .where("repoId", "=", repoId)
    .limit(1)
    .executeTakeFirst();
  if (used !== undefined) return "in_use";
  const removed = await db.deleteFrom("Repo").where("id", "=", repoId).executeTakeFirst();
  return removed.numDeletedRows > 0n ? "removed" : "missing";
}

export async function forgetAnswers(
  { db }: Transaction,
  { olderThan }: { olderThan: number },
): Promise<number> {
  const forgotten = await db
    .deleteFrom("IdempotencyKey")
    .where("createdAt", "<", olderThan)
    .executeTakeFirst();
  return Number(forgotten.numDeletedRows);
}

/**
 * Reports rows that cannot be read, as they are; a session among them leaves all lists and counts.
 * Returns how many sessions have left.
 */
export async function setAside({ db }: Transaction, rows: readonly SetAsideRow[]): Promise<number> {
  for (const row of rows) {
    await db
      .insertInto("SetAside")
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
  const sessionIds = rows
    .filter(({ tableName }) => tableName === "AgentSession")
    .map(({ rowId }) => rowId);
  if (sessionIds.length === 0) return 0;
  const left = await db
    .updateTable("AgentSession")
    .set({ setAside: 1 })
    .where("id", "in", sessionIds)
    .where("setAside", "=", 0)
    .executeTakeFirst();
  return Number(left.numUpdatedRows);
}
