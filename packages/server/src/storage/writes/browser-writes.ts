import type { AddBrowser } from "../ports/browser-store.ts";
import type { Transaction } from "./transaction.ts";

export async function addBrowser(
  { db }: Transaction,
  { browser, limit }: AddBrowser,
): Promise<void> {
  await db.deleteFrom("Browser").where("expiresAt", "<=", browser.createdAt).execute();
  await db
    .deleteFrom("Browser")
    .where("id", "in", (query) =>
      query
        .selectFrom("Browser")
        .select("id")
        .orderBy("lastUsedAt", "desc")
        .orderBy("id")
        // SQLite allows an offset only with a limit.
        .limit(Number.MAX_SAFE_INTEGER)
        .offset(limit - 1),
    )
    .execute();
  await db.insertInto("Browser").values(browser).execute();
}

export async function markBrowserUsed(
  { db }: Transaction,
  { id, at }: { id: string; at: number },
): Promise<void> {
  await db.updateTable("Browser").set({ lastUsedAt: at }).where("id", "=", id).execute();
}

export async function removeBrowsers(
  { db }: Transaction,
  { id }: { id: string | null },
): Promise<number> {
  const all = db.deleteFrom("Browser");
  const { numDeletedRows } = await (
    id === null ? all : all.where("id", "=", id)
  ).executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
