import { sql } from "kysely";
import type { Dialect } from "../dialect.ts";

/** Number of the advisory lock for counted claims. */
const COUNTED_CLAIMS = 0x686f6c64;

const CLOCK = "cast(extract(epoch from clock_timestamp()) * 1000 as bigint)";

export const POSTGRES: Dialect = {
  engine: "postgres",
  clock: CLOCK,
  now: sql.raw(CLOCK),
  forUpdate: " for update",
  readsRowsAsText: false,
  greatest: (column, value) => sql`greatest(${sql.ref(column)}, ${value})`,
  list: (texts) => sql`select unnest(${texts}::text[])`,
  placeholders: (text) => {
    let number = 0;
    return text.replaceAll("?", () => `$${(number += 1)}`);
  },
  matches: (prefixes) =>
    sql`"SearchDocument"."words" @@ cast(${prefixes.map((prefix) => `'${prefix}':*`).join(" & ")} as tsquery)`,
  addDocuments: async ({ db }, documents) => {
    const rows = documents.map(
      ({ sessionId, messageId, words }) =>
        sql`(${sessionId}, ${messageId}, array_to_tsvector(${words}::text[]))`,
    );
    await sql`insert into "SearchDocument" ("sessionId", "messageId", "words")
      values ${sql.join(rows)}`.execute(db);
  },
  lockTokens: async (db) => {
    await sql`lock table "AccessToken" in share row exclusive mode`.execute(db);
  },
  lockClaims: async (db) => {
    await sql`select pg_advisory_xact_lock(${COUNTED_CLAIMS})`.execute(db);
  },
};
