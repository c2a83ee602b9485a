import type { Migration } from "kysely/migration";
import { statementsOnly, type MigrationContext } from "./migration-context.ts";

/** Records for each run how its agent knew the earlier messages. */
export function memory({ engine }: MigrationContext): Migration {
  const type = engine === "sqlite" ? `text check (json_valid("memory"))` : "json";
  return statementsOnly(
    [`alter table "Run" add column "memory" ${type}`],
    [`alter table "Run" drop column "memory"`],
  );
}
