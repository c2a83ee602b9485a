import { sql } from "kysely";
import type { Dialect, Queryable, SearchDocument } from "../dialect.ts";
import { runStatement, runWrite } from "../prepared.ts";

/** Bounded by the number of parameters in a statement. */
const ENTRIES_PER_INSERT = 100;
const CLOCK = "cast(unixepoch('subsec') * 1000 as integer)";

export const SQLITE: Dialect = {
  engine: "sqlite",
  clock: CLOCK,
  get now() {
    return sql.raw<number>(CLOCK);
  },
  forUpdate: "",
  readsRowsAsText: true,
  indexesLater: true,
  list: (texts) => sql`select value from json_each(${JSON.stringify(texts)})`,
  placeholders: (text) => text,
  matches: (prefixes) => sql`"SearchDocument"."key" in (select rowid from "SearchIndex"
    where "SearchIndex" match ${prefixes.map((prefix) => `"${prefix}"*`).join(" ")})`,
  addEntries: async (at, entries) => {
    for (let start = 0; start < entries.length; start += ENTRIES_PER_INSERT) {
      const rows = entries.slice(start, start + ENTRIES_PER_INSERT);
      await runWrite(
        at,
        `insert into "SessionEvent" ("sessionId", "seq", "at", "kind", "messageId", "data")
          values ${rows.map(() => "(?, ?, ?, ?, ?, ?)").join(", ")}`,
        rows.flatMap(({ sessionId, seq, at: time, kind, messageId, data }) => [
          sessionId,
          seq,
          time,
          kind,
          messageId,
          data,
        ]),
      );
    }
  },
  addDocuments: async (at, documents) => {
    for (const document of documents) await addDocument(at, document);
  },
  writesAlone: true,
  lockTokens: async () => {},
  lockClaims: async () => {},
};

async function addDocument(
  at: Queryable,
  { sessionId, messageId, words }: SearchDocument,
): Promise<void> {
  const [document] = await runStatement<{ key: number }>(
    at,
    `insert into "SearchDocument" ("sessionId", "messageId") values (?, ?) returning "key"`,
    [sessionId, messageId],
  );
  if (document === undefined) throw new Error("unreachable: an insert returned no row");
  await runStatement(at, `insert into "SearchIndex" (rowid, words) values (?, ?)`, [
    document.key,
    words.join(" "),
  ]);
}
