import { sql } from "kysely";
import type { Migration } from "kysely/migration";
import type { MigrationContext } from "./migration-context.ts";

/** Each run says how its agent knew what had been said before it. */
export function memory({ engine }: MigrationContext): Migration {
  const type = engine === "sqlite" ? `text check (json_valid("memory"))` : "json";
  return {
    async up(db) {
      await sql.raw(`alter table "Run" add column "memory" ${type}`).execute(db);
    },
    async down(db) {
      await sql.raw(`alter table "Run" drop column "memory"`).execute(db);
    },
  };
}
