import { randomUUID } from "node:crypto";
import { sql, type RawBuilder } from "kysely";
import { requireCurrentSchema } from "../migrations/migrate.ts";
import { portableStore, type StoreOptions } from "../portable-store.ts";
import type { Store } from "../store.ts";
import { callWrite, type WriteArgs, type WriteName, type WriteResult } from "../writes/writes.ts";
import { openPostgresConnection } from "./connection.ts";
import { faultFromPostgres } from "./faults.ts";
import { startFolding } from "./fold-tally.ts";
import { hintsOf } from "./hints-of.ts";
import { openHints } from "./hints.ts";

export interface PostgresOptions extends StoreOptions {
  readonly url: string;
  /** Where `url` leads through a pooler: straight to the database. */
  readonly directUrl?: string;
}

export async function openPostgresStore({
  url,
  directUrl = url,
  ...options
}: PostgresOptions): Promise<Store> {
  const { db, pool } = openPostgresConnection(url);
  const { onTrouble = () => {} } = options;
  const hints = openHints({ pool, url: directUrl, name: randomUUID(), onTrouble });
  try {
    const schema = await requireCurrentSchema(db, { engine: "postgres", failpoint: () => {} });
    const stopFolding = startFolding(db);
    return portableStore({
      engine: "postgres",
      isShared: true,
      db,
      write: async <Name extends WriteName>(
        name: Name,
        args: WriteArgs<Name>,
        { durable }: { readonly durable: boolean } = { durable: true },
      ): Promise<WriteResult<Name>> => {
        try {
          const result = await db
            .transaction()
            .execute(async (transaction): Promise<WriteResult<Name>> => {
              await sql`select ${sql.join(settings(durable))}`.execute(transaction);
              return callWrite({ db: transaction, engine: "postgres" }, name, args);
            });
          for (const hint of hintsOf({ name, args, result })) hints.send(hint);
          return result;
        } catch (error) {
          throw faultFromPostgres(error);
        }
      },
      schema,
      options,
      translate: faultFromPostgres,
      onOutsideWrites: hints.listen,
      call: ({ sessionId, node }) => hints.send({ hint: "wanted", sessionId, node }),
      close: async () => {
        stopFolding();
        await hints.close();
        await db.destroy();
      },
    });
  } catch (error) {
    await db.destroy();
    throw faultFromPostgres(error);
  }
}

/**
 * A node that stands still in the middle of a transaction, or whose network goes silent, must not keep a session locked that
 * others are to take over: the server ends its transaction. Set for each transaction, since a pooler lends connections.
 */
const IDLE_TIMEOUT_MS = 3_000;

function settings(durable: boolean): readonly RawBuilder<unknown>[] {
  return [
    sql`set_config('idle_in_transaction_session_timeout', ${String(IDLE_TIMEOUT_MS)}, true)`,
    ...(durable ? [] : [sql`set_config('synchronous_commit', 'off', true)`]),
  ];
}
