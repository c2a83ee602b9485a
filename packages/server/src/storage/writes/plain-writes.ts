import type { Repo } from "../store.ts";
import type { SetAsideRow } from "../tables.ts";
import type { Transaction } from "./transaction.ts";

/** Ids of one statement; bounded by the parameters it may have. */
const IDS_PER_DELETE = 500;

export async function deleteSessions(
  { db }: Transaction,
  sessionIds: readonly string[],
): Promise<number> {
  let deleted = 0;
  for (let start = 0; start < sessionIds.length; start += IDS_PER_DELETE) {
    const ids = sessionIds.slice(start, start + IDS_PER_DELETE);
    const result = await db.deleteFrom("AgentSession").where("id", "in", ids).executeTakeFirst();
    deleted += Number(result.numDeletedRows);
  }
  return deleted;
}

/** The repository as stored: a path that is known already keeps its id. */
export async function addRepo({ db }: Transaction, repo: Repo): Promise<Repo> {
  await db
    .insertInto("Repo")
    .values(repo)
    .onConflict((conflict) => conflict.column("path").doNothing())
    .execute();
  return db.selectFrom("Repo").selectAll().where("path", "=", repo.path).executeTakeFirstOrThrow();
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

/** Reports rows that cannot be read, as they are; a session among them leaves all lists and counts. */
export async function setAside({ db }: Transaction, rows: readonly SetAsideRow[]): Promise<void> {
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
  if (sessionIds.length > 0) {
    await db
      .updateTable("AgentSession")
      .set({ setAside: 1 })
      .where("id", "in", sessionIds)
      .execute();
  }
}
