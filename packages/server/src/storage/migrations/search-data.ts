import { sql, type Kysely } from "kysely";
import { searchableText, searchWords } from "../search/search-words.ts";
import type { MigrationContext } from "./migrations.ts";

/** Messages in memory at once, each as long as one may be. */
const BATCH = 50;

interface Document {
  readonly sessionId: string;
  readonly messageId: string | null;
  readonly words: readonly string[];
}

interface Named {
  readonly id: string;
  readonly title: string | null;
  readonly purpose: string | null;
  readonly agentName: string | null;
}

/**
 * What was there before there was a search, a migrated portal's messages above all. A message that is
 * still growing gets its document when it is complete, as any other.
 */
export async function indexExisting<Schema>(
  db: Kysely<Schema>,
  engine: MigrationContext["engine"],
): Promise<void> {
  const add = engine === "sqlite" ? addToSqlite<Schema> : addToPostgres<Schema>;
  await eachRow(
    (after) =>
      sql<{
        id: string;
        sessionId: string;
        content: string;
      }>`select "id", "sessionId", "content" from "AgentMessage"
      where "complete" = 1 and "id" > ${after} order by "id" limit ${BATCH}`.execute(db),
    async ({ id, sessionId, content }) => {
      const words = searchWords(searchableText(JSON.parse(content)));
      if (words.length > 0) await add(db, { sessionId, messageId: id, words });
    },
  );
  await eachRow(
    (after) =>
      sql<Named>`select "id", "title", "purpose", "agentName" from "AgentSession"
      where "id" > ${after} order by "id" limit ${BATCH}`.execute(db),
    async ({ id, title, purpose, agentName }) => {
      const words = searchWords(
        [title, purpose, agentName].filter((text) => text !== null).join(" "),
      );
      if (words.length > 0) await add(db, { sessionId: id, messageId: null, words });
    },
  );
}

async function eachRow<Row extends { readonly id: string }>(
  read: (after: string) => Promise<{ readonly rows: readonly Row[] }>,
  use: (row: Row) => Promise<void>,
): Promise<void> {
  let after = "";
  for (;;) {
    const { rows } = await read(after);
    for (const row of rows) await use(row);
    const last = rows.at(-1);
    if (last === undefined || rows.length < BATCH) return;
    after = last.id;
  }
}

async function addToSqlite<Schema>(
  db: Kysely<Schema>,
  { sessionId, messageId, words }: Document,
): Promise<void> {
  const { rows } = await sql<{ key: number }>`
    insert into "SearchDocument" ("sessionId", "messageId")
    values (${sessionId}, ${messageId}) returning "key"`.execute(db);
  const distinct = [...new Set(words)].join(" ");
  await sql`insert into "SearchIndex" (rowid, words) values (${rows[0]?.key}, ${distinct})`.execute(
    db,
  );
}

async function addToPostgres<Schema>(
  db: Kysely<Schema>,
  { sessionId, messageId, words }: Document,
): Promise<void> {
  await sql`
    insert into "SearchDocument" ("sessionId", "messageId", "words")
    values (${sessionId}, ${messageId}, array_to_tsvector(${[...new Set(words)]}::text[]))`.execute(
    db,
  );
}
