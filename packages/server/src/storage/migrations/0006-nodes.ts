import { sql } from "kysely";
import type { Migration } from "kysely/migration";

/** What nodes tell each other about themselves, and where a repository is. */
export function nodes(): Migration {
  return {
    async up(db) {
      await sql`alter table "NodeLease" add column "about" text`.execute(db);
      await sql`alter table "NodeLease" add column "draining" integer not null default 0`.execute(
        db,
      );
      await sql`alter table "Repo" add column "label" text`.execute(db);
    },
    async down(db) {
      await sql`alter table "Repo" drop column "label"`.execute(db);
      await sql`alter table "NodeLease" drop column "draining"`.execute(db);
      await sql`alter table "NodeLease" drop column "about"`.execute(db);
    },
  };
}
