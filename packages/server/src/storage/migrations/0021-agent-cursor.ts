import type { Migration } from "kysely/migration";
import { statementsOnly } from "./migration-context.ts";

/** Adds how much of the output of the session's agent is stored. */
export function agentCursor(): Migration {
  return statementsOnly(
    [`alter table "AgentSession" add column "agentCursor" text`],
    [`alter table "AgentSession" drop column "agentCursor"`],
  );
}
