import type { AddToken, RevokeToken, TokenAdded } from "../ports/token-store.ts";
import type { Transaction } from "./transaction.ts";

export async function addToken(
  { db, dialect }: Transaction,
  { token, limit }: AddToken,
): Promise<TokenAdded> {
  await dialect.lockTokens(db);
  const { count } = await db
    .selectFrom("AccessToken")
    .select((is) => is.fn.countAll<number | string>().as("count"))
    .executeTakeFirstOrThrow();
  if (Number(count) >= limit) return "full";
  await db.insertInto("AccessToken").values(token).execute();
  return "added";
}

export async function revokeToken({ db }: Transaction, { id, at }: RevokeToken): Promise<void> {
  await db
    .updateTable("AccessToken")
    .set({ revokedAt: at })
    .where("id", "=", id)
    .where("revokedAt", "is", null)
    .execute();
}

export async function markTokenUsed(
  { db }: Transaction,
  { id, at }: { id: string; at: number },
): Promise<void> {
  await db.updateTable("AccessToken").set({ lastUsedAt: at }).where("id", "=", id).execute();
}

export async function forgetTokens(
  { db }: Transaction,
  { before }: { before: number },
): Promise<void> {
  await db.deleteFrom("AccessToken").where("revokedAt", "<", before).execute();
}
