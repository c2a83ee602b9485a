import type { KeepOffer } from "../ports/offer-store.ts";
import type { Transaction } from "./transaction.ts";

export async function keepOffer(
  { db }: Transaction,
  { provider, offer, at, limit }: KeepOffer,
): Promise<void> {
  const row = { offer: JSON.stringify(offer), at };
  await db
    .insertInto("ProviderOffer")
    .values({ provider, ...row })
    .onConflict((conflict) => conflict.column("provider").doUpdateSet(row))
    .execute();
  await db
    .deleteFrom("ProviderOffer")
    .where("provider", "in", (query) =>
      query
        .selectFrom("ProviderOffer")
        .select("provider")
        .orderBy("at", "desc")
        .orderBy("provider")
        // SQLite allows an offset only with a limit.
        .limit(Number.MAX_SAFE_INTEGER)
        .offset(limit),
    )
    .execute();
}
