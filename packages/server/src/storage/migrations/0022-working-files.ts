import type { Migration } from "kysely/migration";
import { statementsOnly, type MigrationContext } from "./migration-context.ts";

const SESSION = ["workspace", "files", "rewind"];
const RUN = ["filesBefore", "filesAfter", "changes"];

/**
 * Adds the working folder of a session, snapshots of its files before and after each run, what the run changed, and whether it
 * was taken back. All but the time are JSON; null means that nothing is known.
 */
export function workingFiles({ engine }: Pick<MigrationContext, "engine">): Migration {
  const integer = engine === "sqlite" ? "integer" : "bigint";
  return statementsOnly(
    [
      ...SESSION.map((name) => `alter table "AgentSession" add column "${name}" text`),
      ...RUN.map((name) => `alter table "Run" add column "${name}" text`),
      `alter table "Run" add column "rewoundAt" ${integer}`,
    ],
    [
      `alter table "Run" drop column "rewoundAt"`,
      ...RUN.toReversed().map((name) => `alter table "Run" drop column "${name}"`),
      ...SESSION.toReversed().map((name) => `alter table "AgentSession" drop column "${name}"`),
    ],
  );
}
