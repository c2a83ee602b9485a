import type { Migration } from "kysely/migration";
import { SQLITE } from "../sqlite/sqlite-dialect.ts";
import { indexNoted } from "../writes/search-document.ts";
import { execute, statementsOnly, type MigrationContext } from "./migration-context.ts";

const AT_ONCE = 200;

/** Adds the list of messages and sessions that the full-text search of SQLite has yet to take in. */
export function searchLater({ engine, failpoint }: MigrationContext): Migration {
  if (engine === "postgres") return statementsOnly([], []);
  return {
    up: (db) =>
      execute(db, [`create table "SearchTodo" ("id" text primary key) strict, without rowid`]),
    async down(db) {
      while ((await indexNoted({ db, dialect: SQLITE }, { limit: AT_ONCE })) > 0);
      failpoint("rollback.search-later.indexed");
      await db.schema.dropTable("SearchTodo").execute();
    },
  };
}
