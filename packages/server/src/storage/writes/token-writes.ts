import { SCOPES } from "../../domain/scope.ts";
import { mayAdd, mayRevoke, type TokenFacts } from "../../domain/token-rules.ts";
import type { AddToken, RevokeToken, TokenAdded, TokenRevoked } from "../ports/token-store.ts";
import type { Transaction } from "./transaction.ts";

export async function addToken(
  transaction: Transaction,
  { token, limit, hasOtherAdmin }: AddToken,
): Promise<TokenAdded> {
  const tokens = await lockTokens(transaction);
  if (tokens.length >= limit) return "full";
  const { scope, createdAt: now } = token;
  if (!hasOtherAdmin && !mayAdd(tokens, { scope, now })) return "admin_first";
  await transaction.db.insertInto("AccessToken").values(token).execute();
  return "added";
}

/** A second revocation keeps the time of the first. */
export async function revokeToken(
  transaction: Transaction,
  { id, at, hasOtherAdmin }: RevokeToken,
): Promise<TokenRevoked> {
  const { db } = transaction;
  const tokens = await lockTokens(transaction);
  if (!hasOtherAdmin && !mayRevoke(tokens, { id, now: at })) return "last_admin";
  await db
    .updateTable("AccessToken")
    .set({ revokedAt: at })
    .where("id", "=", id)
    .where("revokedAt", "is", null)
    .execute();
  return tokens.some((token) => token.id === id) ? "revoked" : "missing";
}

/** Returns all tokens and locks them until the transaction ends. */
async function lockTokens({ db, dialect }: Transaction): Promise<readonly TokenFacts[]> {
  await dialect.lockTokens(db);
  const rows = await db
    .selectFrom("AccessToken")
    .select(["id", "scope", "expiresAt", "revokedAt"])
    .execute();
  // An unknown scope grants nothing, so the row counts as the weakest.
  return rows.map((row) => ({
    ...row,
    scope: SCOPES.find((scope) => scope === row.scope) ?? "read",
  }));
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
