import { sql, type Kysely } from "kysely";
import { searchableText, searchWords } from "../search-words.ts";
import type { MigrationContext } from "./migrations.ts";

const BATCH = 500;

interface Found {
  readonly id: string;
  readonly sessionId: string;
  readonly content: string;
}

/** Messages that were there before there was a search, a migrated portal's above all. */
export async function indexExistingMessages(
  db: Kysely<unknown>,
  engine: MigrationContext["engine"],
): Promise<void> {
  let after = "";
  for (;;) {
    const { rows } = await sql<Found>`
      select "id", "sessionId", "content" from "AgentMessage"
      where "id" > ${after} order by "id" limit ${BATCH}`.execute(db);
    for (const message of rows) {
      const words = [...new Set(searchWords(searchableText(JSON.parse(message.content))))];
      await (engine === "sqlite" ? addToSqlite(db, message, words) : addToPostgres(db, message, words));
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < BATCH) return;
    after = last.id;
  }
}

async function addToSqlite(db: Kysely<unknown>, message: Found, words: readonly string[]): Promise<void> {
  const { rows } = await sql<{ key: number }>`
    insert into "SearchDocument" ("sessionId", "messageId")
    values (${message.sessionId}, ${message.id}) returning "key"`.execute(db);
  await sql`insert into "SearchIndex" (rowid, words) values (${rows[0]?.key}, ${words.join(" ")})`.execute(db);
}

async function addToPostgres(db: Kysely<unknown>, message: Found, words: readonly string[]): Promise<void> {
  await sql`
    insert into "SearchDocument" ("sessionId", "messageId", "words")
    values (${message.sessionId}, ${message.id}, array_to_tsvector(${words}::text[]))`.execute(db);
}
