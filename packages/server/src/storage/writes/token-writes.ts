import type { AccessToken } from "../access-token.ts";
import type { Transaction } from "./transaction.ts";

/** False when there are as many already as there may be. */
export async function addToken(
  { db }: Transaction,
  { token, limit }: { token: AccessToken; limit: number },
): Promise<boolean> {
  const { held } = await db
    .selectFrom("AccessToken")
    .select(({ fn }) => fn.countAll<number>().as("held"))
    .executeTakeFirstOrThrow();
  if (Number(held) >= limit) return false;
  await db.insertInto("AccessToken").values(token).execute();
  return true;
}

/** The first time counts; false when there is no such token. */
export async function revokeToken(
  { db }: Transaction,
  { id, at }: { id: string; at: number },
): Promise<boolean> {
  await db
    .updateTable("AccessToken")
    .set({ revokedAt: at })
    .where("id", "=", id)
    .where("revokedAt", "is", null)
    .execute();
  const found = await db
    .selectFrom("AccessToken")
    .select("id")
    .where("id", "=", id)
    .executeTakeFirst();
  return found !== undefined;
}

export async function markTokenUsed(
  { db }: Transaction,
  { id, at }: { id: string; at: number },
): Promise<void> {
  await db.updateTable("AccessToken").set({ lastUsedAt: at }).where("id", "=", id).execute();
}

/** Those that can no longer be used since then: nobody needs to know of them any more. */
export async function forgetTokens(
  { db }: Transaction,
  { before }: { before: number },
): Promise<void> {
  await db.deleteFrom("AccessToken").where("revokedAt", "<", before).execute();
}
