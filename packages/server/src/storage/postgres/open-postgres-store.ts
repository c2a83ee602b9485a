import { sql } from "kysely";
import { requireCurrentSchema } from "../migrations/migrate.ts";
import { portableStore, type StoreOptions } from "../portable-store.ts";
import type { Store } from "../store.ts";
import { callWrite, type WriteArgs, type WriteName, type WriteResult } from "../writes/writes.ts";
import { openPostgresConnection } from "./connection.ts";
import { faultFromPostgres } from "./faults.ts";

export async function openPostgresStore({
  url,
  ...options
}: StoreOptions & { readonly url: string }): Promise<Store> {
  const { db } = openPostgresConnection(url);
  try {
    const schema = await requireCurrentSchema(db, { engine: "postgres", failpoint: () => {} });
    return portableStore({
      engine: "postgres",
      db,
      write: async <Name extends WriteName>(
        name: Name,
        args: WriteArgs<Name>,
        { durable }: { readonly durable: boolean } = { durable: true },
      ): Promise<WriteResult<Name>> => {
        try {
          return await db.transaction().execute(async (transaction): Promise<WriteResult<Name>> => {
            if (!durable) await sql`set local synchronous_commit = off`.execute(transaction);
            return callWrite({ db: transaction, engine: "postgres" }, name, args);
          });
        } catch (error) {
          throw faultFromPostgres(error);
        }
      },
      schema,
      options,
      translate: faultFromPostgres,
      close: () => db.destroy(),
    });
  } catch (error) {
    await db.destroy();
    throw faultFromPostgres(error);
  }
}
