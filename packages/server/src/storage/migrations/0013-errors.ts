import { sql } from "kysely";
import type { Migration } from "kysely/migration";
import type { MigrationContext } from "./migration-context.ts";

/** When the last error happened, and how many there were before the count was reset. */
export function errors({ engine }: Pick<MigrationContext, "engine">): Migration {
  const integer = engine === "sqlite" ? "integer" : "bigint";
  return {
    async up(db) {
      for (const statement of [
        `alter table "AgentSession" add column "lastErrorAt" ${integer}`,
        `alter table "AgentSession" add column "errorTotal" ${integer} not null default 0`,
        `update "AgentSession" set "errorTotal" = "errorCount" where "errorCount" > 0`,
      ])
        await sql.raw(statement).execute(db);
    },
    async down(db) {
      await sql`alter table "AgentSession" drop column "errorTotal"`.execute(db);
      await sql`alter table "AgentSession" drop column "lastErrorAt"`.execute(db);
    },
  };
}
