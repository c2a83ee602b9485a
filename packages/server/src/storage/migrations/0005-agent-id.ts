import type { Migration } from "kysely/migration";
import { statementsOnly } from "./migration-context.ts";

/** Adds the ID that an orchestrator gives a session. */
export function agentId(): Migration {
  return statementsOnly(
    [
      `alter table "AgentSession" add column "agentId" text`,
      `create unique index "agent_session_by_agent_id" on "AgentSession" ("agentId")
        where "agentId" is not null`,
    ],
    [`drop index "agent_session_by_agent_id"`, `alter table "AgentSession" drop column "agentId"`],
  );
}
