import { Kysely, PostgresDialect } from "kysely";
import { Pool, types, type PoolClient, type PoolConfig } from "pg";
import type { Tables } from "../tables.ts";
import { ImpatientClient } from "./impatient-client.ts";

const INT8 = 20;
const JSON_TEXT = 114;

export interface PostgresConnection {
  readonly pool: Pool;
  readonly db: Kysely<Tables>;
}

/**
 * Without these limits the driver waits for ever on a network that went silent. The first is also how long a call waits
 * for a connection when all are in use. Whoever asks over HTTP hears within ten seconds.
 */
const CONNECT_TIMEOUT_MS = 5_000;
const QUERY_TIMEOUT_MS = 7_000;
const CONNECTIONS = 10;

export function openPostgresConnection(url: string, config: PoolConfig = {}): PostgresConnection {
  const pool = new Pool({
    connectionString: url,
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    application_name: "holdfast",
    types: { getTypeParser },
    Client: ImpatientClient,
    ...config,
  });
  // A connection that breaks is replaced by the pool; without listeners it would end the process.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  pool.on("release", (_error, client) => void endIfWaiting(client));
  return { pool, db: new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) }) };
}

/** A query that was given up is still on its way: whoever got its connection next would wait behind it. */
async function endIfWaiting(client: PoolClient): Promise<void> {
  if ("readyForQuery" in client && client.readyForQuery === false) await client.end();
}

/** Numbers as numbers (all ours are below 2^53), JSON as the text it is. */
const getTypeParser: typeof types.getTypeParser = ((oid: number, format?: "text" | "binary") => {
  if (oid === INT8) return Number;
  if (oid === JSON_TEXT) return String;
  return types.getTypeParser(oid, format);
}) as typeof types.getTypeParser;
