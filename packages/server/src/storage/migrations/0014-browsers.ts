import type { Migration } from "kysely/migration";
import { statementsOnly, type MigrationContext } from "./migration-context.ts";

/** Adds the browsers that are signed in. The table holds only the digest of their secrets. */
export function browsers({ engine }: Pick<MigrationContext, "engine">): Migration {
  const integer = engine === "sqlite" ? "integer" : "bigint";
  return statementsOnly(
    [
      `create table "Browser" (
      "id" text not null,
      "scope" text not null check ("scope" in ('read', 'send', 'admin')),
      "tokenId" text,
      "tokenName" text,
      "userAgent" text not null,
      "digest" text not null,
      "createdAt" ${integer} not null,
      "lastUsedAt" ${integer} not null,
      "expiresAt" ${integer} not null,
      constraint "browser_key" primary key ("id"),
      constraint "browser_digest" unique ("digest")
    )${engine === "sqlite" ? " strict" : ""}`,
    ],
    [`drop table "Browser"`],
  );
}
