import { randomUUID } from "node:crypto";
import type { OpenOptions } from "../database-access.ts";
import { requireCurrentSchema } from "../migrations/migrate.ts";
import { portableStore, type StoreOptions } from "../portable-store.ts";
import type { Store } from "../store.ts";
import { hintsOf } from "../writes/hints-of.ts";
import { callWrite, type WriteArgs, type WriteName, type WriteResult } from "../writes/writes.ts";
import type { AskServer } from "../dialect.ts";
import { appendAtOnce } from "./append-at-once.ts";
import { openPostgresConnection } from "./connection.ts";
import { faultFromPostgres } from "./faults.ts";
import { startCompacting } from "./compact-tally.ts";
import { openHints } from "./hints.ts";
import { POSTGRES } from "./postgres-dialect.ts";
import { nameStatements } from "./statement-names.ts";
import { askPool, transact } from "./transactions.ts";

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
  const names = nameStatements();
  const ask = askPool({ pool, names });
  const hints = openHints({ ask, url: directUrl, name: randomUUID(), onTrouble });
  try {
    const schema = await requireCurrentSchema(
      { db, dialect: POSTGRES },
      { engine: "postgres", failpoint: () => {} },
    );
    const stopCompacting = startCompacting(db);
    return portableStore({
      at: { db, dialect: POSTGRES, ask },
      isShared: true,
      isServer: true,
      write: async <Name extends WriteName>(
        name: Name,
        args: WriteArgs<Name>,
        { durable }: { readonly durable: boolean } = { durable: true },
      ): Promise<WriteResult<Name>> => {
        try {
          const result =
            (await AT_ONCE[name]?.(ask, args)) ??
            (await transact({ pool, names, durable }, (transaction) =>
              callWrite(transaction, name, args),
            ));
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

/** Writes that are one statement in their common case. Null: it is not that case, and nothing was stored. */
const AT_ONCE: {
  readonly [Name in WriteName]?: (
    ask: AskServer,
    args: WriteArgs<Name>,
  ) => Promise<WriteResult<Name> | null>;
} = { appendOutput: appendAtOnce };
