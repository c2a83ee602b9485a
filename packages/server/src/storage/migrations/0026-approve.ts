import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import { execute, type MigrationContext } from "./migration-context.ts";

interface Change {
  readonly scopes: readonly string[];
  /** The new scopes of rows, by their old ones. Other rows keep theirs. */
  readonly renamed: Readonly<Record<string, string>>;
}

const UP: Change = {
  scopes: ["read", "send", "approve", "admin"],
  renamed: { send: "approve" },
};

/** Earlier versions let `send` answer, so the tokens that must not answer can only read there. */
const DOWN: Change = {
  scopes: ["read", "send", "admin"],
  renamed: { send: "read", approve: "send" },
};

/** Adds the scope `approve`. Tokens and browsers with the scope `send` get it, so they keep their rights. */
export function approve({ engine }: Pick<MigrationContext, "engine">): Migration {
  const change = engine === "sqlite" ? changeInSqlite : changeInPostgres;
  return { up: (db) => change(db, UP), down: (db) => change(db, DOWN) };
}

/** SQLite cannot change a check, so the tables are copied. No other table refers to them. */
async function changeInSqlite<Schema>(
  db: Kysely<Schema>,
  { scopes, renamed }: Change,
): Promise<void> {
  const check = `check ("scope" in (${listOf(scopes)}))`;
  await execute(db, [
    // Written as by the earlier migrations, so that a rollback restores the text of the schema.
    `create table "NewAccessToken" (
      "id" text not null,
      "name" text not null,
      "scope" text not null ${check},
      "digest" text not null,
      "createdAt" integer not null,
      "lastUsedAt" integer,
      "expiresAt" integer,
      "revokedAt" integer,
      constraint "access_token_key" primary key ("id"),
      constraint "access_token_digest" unique ("digest")
    ) strict`,
    `alter table "NewAccessToken" add column "sessionId" text`,
    `insert into "NewAccessToken" ("id", "name", "scope", "digest", "createdAt", "lastUsedAt", "expiresAt", "revokedAt",
       "sessionId")
     select "id", "name", ${newScope(renamed)}, "digest", "createdAt", "lastUsedAt", "expiresAt", "revokedAt",
       "sessionId" from "AccessToken" order by "rowid"`,
    `drop table "AccessToken"`,
    `alter table "NewAccessToken" rename to "AccessToken"`,
    `create table "NewBrowser" (
      "id" text not null,
      "scope" text not null ${check},
      "tokenId" text,
      "tokenName" text,
      "userAgent" text not null,
      "digest" text not null,
      "createdAt" integer not null,
      "lastUsedAt" integer not null,
      "expiresAt" integer not null,
      constraint "browser_key" primary key ("id"),
      constraint "browser_digest" unique ("digest")
    ) strict`,
    `insert into "NewBrowser" ("id", "scope", "tokenId", "tokenName", "userAgent", "digest", "createdAt", "lastUsedAt",
       "expiresAt")
     select "id", ${newScope(renamed)}, "tokenId", "tokenName", "userAgent", "digest", "createdAt", "lastUsedAt",
       "expiresAt" from "Browser" order by "rowid"`,
    `drop table "Browser"`,
    `alter table "NewBrowser" rename to "Browser"`,
  ]);
}

async function changeInPostgres<Schema>(
  db: Kysely<Schema>,
  { scopes, renamed }: Change,
): Promise<void> {
  for (const table of ["AccessToken", "Browser"])
    await execute(db, [
      `alter table "${table}" drop constraint if exists "${table}_scope_check"`,
      `update "${table}" set "scope" = ${newScope(renamed)} where "scope" in (${listOf(Object.keys(renamed))})`,
      `alter table "${table}" add constraint "${table}_scope_check" check ("scope" in (${listOf(scopes)}))`,
    ]);
}

function newScope(renamed: Change["renamed"]): string {
  const cases = Object.entries(renamed).map(([from, to]) => `when '${from}' then '${to}'`);
  return `case "scope" ${cases.join(" ")} else "scope" end`;
}

function listOf(scopes: readonly string[]): string {
  return scopes.map((scope) => `'${scope}'`).join(", ");
}
