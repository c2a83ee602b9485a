import { toRepo } from "../rows/repo-row.ts";
import { sql } from "kysely";
import type { Repo } from "../ports/repository-store.ts";
import { QUARANTINED, type SetAsideRow } from "../tables.ts";
import { isStale } from "../reads/stale-sessions.ts";
import { forgetReports } from "./forget-reports.ts";
import type { Transaction } from "./transaction.ts";

export async function deleteSessions(
  transaction: Transaction,
  sessionIds: readonly string[],
): Promise<number> {
  const { db, dialect } = transaction;
  const ids = dialect.list(sessionIds);
  const { numAffectedRows } = await sql`delete from "AgentSession" where "id" in (${ids})`.execute(
    db,
  );
  await forgetReports(transaction);
  return Number(numAffectedRows ?? 0);
}

/** Deletes those of the sessions that are still stale, never a conversation. Returns the IDs of the deleted ones. */
export async function deleteStale(
  transaction: Transaction,
  { sessionIds, before }: { readonly sessionIds: readonly string[]; readonly before: number },
): Promise<readonly string[]> {
  const { db, dialect } = transaction;
  const { rows } = await sql<{ id: string }>`
    delete from "AgentSession" where "id" in (${dialect.list(sessionIds)})
    and ${isStale(dialect, { kind: "tracked", before })} returning "id"`.execute(db);
  await forgetReports(transaction);
  return rows.map(({ id }) => id);
}

/** Returns the stored repository. A known path keeps its ID and name, and takes the new label. */
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
  const session = await db
    .selectFrom("AgentSession")
    .select("id")
    .where("repoId", "=", repoId)
    .limit(1)
    .executeTakeFirst();
  if (session !== undefined) return "in_use";
  const { numDeletedRows } = await db
    .deleteFrom("Repo")
    .where("id", "=", repoId)
    .executeTakeFirst();
  return numDeletedRows > 0n ? "removed" : "missing";
}

export async function forgetAnswers(
  { db }: Transaction,
  { olderThan }: { olderThan: number },
): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom("IdempotencyKey")
    .where("createdAt", "<", olderThan)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/**
 * Reports unreadable rows with their contents. An unreadable session leaves all lists and counts. Returns the number of
 * sessions that left.
 */
export async function quarantine(
  { db }: Transaction,
  rows: readonly SetAsideRow[],
): Promise<number> {
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
  const { numUpdatedRows } = await db
    .updateTable("AgentSession")
    .set({ setAside: QUARANTINED })
    .where("id", "in", sessionIds)
    .where("setAside", "=", 0)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}
