import { sql } from "kysely";
import type { Dialect } from "../dialect.ts";
import { runWrite } from "../prepared.ts";

/** Number of the advisory lock for counted claims. */
const COUNTED_CLAIMS = 0x686f6c64;

const CLOCK = "cast(extract(epoch from clock_timestamp()) * 1000 as bigint)";

export const POSTGRES: Dialect = {
  engine: "postgres",
  clock: CLOCK,
  now: sql.raw(CLOCK),
  forUpdate: " for update",
  readsRowsAsText: false,
  indexesLater: false,
  list: (texts) => sql`select unnest(${texts}::text[])`,
  placeholders: (text) => {
    let number = 0;
    return text.replaceAll("?", () => `$${(number += 1)}`);
  },
  matches: (prefixes) =>
    sql`"SearchDocument"."words" @@ cast(${prefixes.map((prefix) => `'${prefix}':*`).join(" & ")} as tsquery)`,
  // Columns are lists, so that the text is the same for any number of rows.
  addEntries: (at, entries) =>
    runWrite(
      at,
      `insert into "SessionEvent" ("sessionId", "seq", "at", "kind", "messageId", "data")
        select * from unnest(?::text[], ?::bigint[], ?::bigint[], ?::text[], ?::text[], ?::text[])`,
      [
        entries.map(({ sessionId }) => sessionId),
        entries.map(({ seq }) => seq),
        entries.map(({ at }) => at),
        entries.map(({ kind }) => kind),
        entries.map(({ messageId }) => messageId),
        entries.map(({ data }) => data),
      ],
    ),
  addDocuments: (at, documents) =>
    runWrite(
      at,
      `insert into "SearchDocument" ("sessionId", "messageId", "words")
        select "sessionId", "messageId", array_to_tsvector(string_to_array("words", ' '))
        from unnest(?::text[], ?::text[], ?::text[]) as "document" ("sessionId", "messageId", "words")`,
      [
        documents.map(({ sessionId }) => sessionId),
        documents.map(({ messageId }) => messageId),
        documents.map(({ words }) => words.join(" ")),
      ],
    ),
  writesAlone: false,
  lockTokens: async (db) => {
    await sql`lock table "AccessToken" in share row exclusive mode`.execute(db);
  },
  lockClaims: async (db) => {
    await sql`select pg_advisory_xact_lock(${COUNTED_CLAIMS})`.execute(db);
  },
};
