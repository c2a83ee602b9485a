import type { Migration } from "kysely/migration";
import { statementsOnly, type MigrationContext } from "./migration-context.ts";

/** Adds the time of the last error, and the number of errors since the session began. */
export function errors({ engine }: Pick<MigrationContext, "engine">): Migration {
  const integer = engine === "sqlite" ? "integer" : "bigint";
  return statementsOnly(
    [
      `alter table "AgentSession" add column "lastErrorAt" ${integer}`,
      `alter table "AgentSession" add column "errorTotal" ${integer} not null default 0`,
      `update "AgentSession" set "errorTotal" = "errorCount" where "errorCount" > 0`,
    ],
    [
      `alter table "AgentSession" drop column "errorTotal"`,
      `alter table "AgentSession" drop column "lastErrorAt"`,
    ],
  );
}
