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
 * Without these limits the driver would wait forever on a silent network. The first also limits the wait for a free
 * connection of the pool. An HTTP request is answered within ten seconds.
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
    // A query is sent without waiting for the replies to earlier ones.
    pipeline: true,
    application_name: "holdfast",
    types: { getTypeParser },
    Client: ImpatientClient,
    ...config,
  });
  // The pool replaces a broken connection. Without listeners the error would end the process.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  pool.on("release", (_error, client) => void endIfWaiting(client));
  return { pool, db: new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) }) };
}

/** A query that timed out still runs, and the next user of the connection would wait for it. */
async function endIfWaiting(client: PoolClient): Promise<void> {
  if ("readyForQuery" in client && client.readyForQuery === false) await client.end();
}

/** bigint as number (all values are below 2^53), JSON as text. */
const getTypeParser: typeof types.getTypeParser = ((oid: number, format?: "text" | "binary") => {
  if (oid === INT8) return Number;
  if (oid === JSON_TEXT) return String;
  return types.getTypeParser(oid, format);
}) as typeof types.getTypeParser;
