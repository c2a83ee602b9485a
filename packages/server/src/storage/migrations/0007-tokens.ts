import type { Migration } from "kysely/migration";
import { statementsOnly, type MigrationContext } from "./migration-context.ts";

/** Adds the access tokens of the API. The table holds only the digest of a token. */
export function tokens({ engine }: Pick<MigrationContext, "engine">): Migration {
  const integer = engine === "sqlite" ? "integer" : "bigint";
  return statementsOnly(
    [
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
    ],
    [`drop table "AccessToken"`],
  );
}
