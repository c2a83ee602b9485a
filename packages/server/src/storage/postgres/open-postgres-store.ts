import { randomUUID } from "node:crypto";
import { sql, type RawBuilder } from "kysely";
import type { OpenOptions } from "../database-access.ts";
import { requireCurrentSchema } from "../migrations/migrate.ts";
import { portableStore, type StoreOptions } from "../portable-store.ts";
import type { Store } from "../store.ts";
import { hintsOf } from "../writes/hints-of.ts";
import { callWrite, type WriteArgs, type WriteName, type WriteResult } from "../writes/writes.ts";
import { openPostgresConnection } from "./connection.ts";
import { faultFromPostgres } from "./faults.ts";
import { startCompacting } from "./compact-tally.ts";
import { openHints } from "./hints.ts";
import { POSTGRES } from "./postgres-dialect.ts";

export interface PostgresOptions extends StoreOptions, Pick<OpenOptions, "replyTimeoutMs"> {
  readonly url: string;
  /** A URL that bypasses the connection pooler, if `url` leads through one. */
  readonly directUrl?: string;
}

export async function openPostgresStore({
  url,
  directUrl = url,
  replyTimeoutMs: ms,
  ...options
}: PostgresOptions): Promise<Store> {
  const limits = ms === undefined ? {} : { connectionTimeoutMillis: ms, query_timeout: ms };
  const { db, pool } = openPostgresConnection(url, limits);
  const { onTrouble = () => {} } = options;
  const hints = openHints({ pool, url: directUrl, name: randomUUID(), onTrouble });
  try {
    const schema = await requireCurrentSchema(
      { db, dialect: POSTGRES },
      { engine: "postgres", failpoint: () => {} },
    );
    const stopCompacting = startCompacting(db);
    return portableStore({
      at: { db, dialect: POSTGRES },
      isShared: true,
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
              return callWrite({ db: transaction, dialect: POSTGRES }, name, args);
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
        stopCompacting();
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
 * A node that hangs inside a transaction, or whose network fails, must not keep a session locked: the database ends its
 * transaction. Set for each transaction, because a pooler shares connections.
 */
const IDLE_TIMEOUT_MS = 3_000;

function settings(durable: boolean): readonly RawBuilder<unknown>[] {
  return [
    sql`set_config('idle_in_transaction_session_timeout', ${String(IDLE_TIMEOUT_MS)}, true)`,
    ...(durable ? [] : [sql`set_config('synchronous_commit', 'off', true)`]),
  ];
}
