import { sql } from "kysely";
import { requireCurrentSchema } from "../migrations/migrate.ts";
import { portableStore } from "../portable-store.ts";
import type { Store } from "../store.ts";
import { callWrite, type WriteName, type WriteResult } from "../writes/writes.ts";
import { openPostgresConnection } from "./connection.ts";
import { faultFromPostgres } from "./faults.ts";

export async function openPostgresStore({ url, clock }: { url: string; clock: () => number }): Promise<Store> {
  const { db } = openPostgresConnection(url);
  try {
    const schema = await requireCurrentSchema(db, { engine: "postgres", failpoint: () => {} });
    return portableStore({
      engine: "postgres",
      db,
      write: async <Name extends WriteName>(
        name: Name,
        args: unknown,
        { durable }: { readonly durable: boolean } = { durable: true },
      ) => {
        try {
          const value = await db.transaction().execute(async (transaction) => {
            if (!durable) await sql`set local synchronous_commit = off`.execute(transaction);
            return callWrite({ db: transaction, engine: "postgres" }, name, args);
          });
          return value as WriteResult<Name>;
        } catch (error) {
          throw faultFromPostgres(error);
        }
      },
      schema,
      clock,
      translate: faultFromPostgres,
      close: () => db.destroy(),
    });
  } catch (error) {
    await db.destroy();
    throw faultFromPostgres(error);
  }
}
