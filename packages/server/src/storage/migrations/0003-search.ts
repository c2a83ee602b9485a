import type { Migration } from "kysely/migration";
import { execute, type MigrationContext } from "./migration-context.ts";
import { indexExisting } from "./search-data.ts";

/** Adds the full-text search in messages, and in titles, purposes and agent names of sessions. */
export function search({ engine, failpoint }: MigrationContext): Migration {
  const sqlite = engine === "sqlite";
  return {
    async up(db) {
      const columns = `
        "sessionId" text not null constraint "search_document_session"
          references "AgentSession" ("id") on delete cascade,
        "messageId" text constraint "search_document_message"
          references "AgentMessage" ("id") on delete cascade`;
      const statements = sqlite
        ? [
            `create table "SearchDocument" ("key" integer primary key, ${columns}) strict`,
            `create virtual table "SearchIndex" using fts5 (
              words, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2', detail = none)`,
            // Otherwise a delete of many sessions pauses to merge the index. Additions merge it anyway.
            `insert into "SearchIndex" ("SearchIndex", rank) values ('deletemerge', 0)`,
            `create trigger "search_document_removed" after delete on "SearchDocument"
              begin delete from "SearchIndex" where rowid = old."key"; end`,
          ]
        : [
            `create table "SearchDocument" (
              "key" bigint generated always as identity constraint "search_document_key" primary key,
              ${columns},
              "words" tsvector not null)`,
            `create index "search_document_words" on "SearchDocument" using gin ("words")`,
          ];
      statements.push(
        `create index "search_document_by_session" on "SearchDocument" ("sessionId")`,
        `create unique index "search_document_by_message" on "SearchDocument" ("messageId")
          where "messageId" is not null`,
        `create unique index "search_document_of_session" on "SearchDocument" ("sessionId")
          where "messageId" is null`,
      );
      await execute(db, statements);
      failpoint("migrate.search.created");
      await indexExisting(db, engine);
      failpoint("migrate.search.indexed");
    },
    async down(db) {
      if (sqlite) await db.schema.dropTable("SearchIndex").execute();
      await db.schema.dropTable("SearchDocument").execute();
      failpoint("rollback.search.dropped");
    },
  };
}
