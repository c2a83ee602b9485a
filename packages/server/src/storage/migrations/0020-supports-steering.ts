import type { Migration } from "kysely/migration";
import { statementsOnly, type MigrationContext } from "./migration-context.ts";

/** Adds whether the agent of the last run takes messages during its work. */
export function supportsSteering({ engine }: Pick<MigrationContext, "engine">): Migration {
  const flag = engine === "sqlite" ? "integer" : "smallint";
  return statementsOnly(
    [`alter table "AgentSession" add column "supportsSteering" ${flag} not null default 0`],
    [`alter table "AgentSession" drop column "supportsSteering"`],
  );
}
