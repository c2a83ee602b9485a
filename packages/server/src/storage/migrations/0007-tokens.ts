import { sql } from "kysely";
import type { Migration } from "kysely/migration";
import type { MigrationContext } from "./migration-context.ts";

/** Who may use the API, and for what. Of a token only its digest is kept. */
export function tokens({ engine }: Pick<MigrationContext, "engine">): Migration {
  const integer = engine === "sqlite" ? "integer" : "bigint";
  return {
    async up(db) {
      await sql
        .raw(
          `create table "AccessToken" (
      "id" text not null,
      "name" text not null,
      "scope" text not null check ("scope" in ('read', 'send', 'admin')),
      "digest" text not null,
      "createdAt" ${integer} not null,
      "lastUsedAt" ${integer},
      "expiresAt" ${integer},
      "revokedAt" ${integer},
      constraint "access_token_key" primary key ("id"),
      constraint "access_token_digest" unique ("digest")
    )${engine === "sqlite" ? " strict" : ""}`,
        )
        .execute(db);
    },
    async down(db) {
      await db.schema.dropTable("AccessToken").execute();
    },
  };
}
