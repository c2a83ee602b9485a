import type { Migration } from "kysely/migration";
import { statementsOnly } from "./migration-context.ts";

/** Adds an index of the sessions whose last run did not complete, so that they are listed and counted without the others. */
export function lastOutcome(): Migration {
  return statementsOnly(
    [
      `create index "agent_session_by_outcome" on "AgentSession" ("status", "lastTurnAt", "id", "lastOutcome", "state")
         where "setAside" = 0 and "lastOutcome" <> 'completed'`,
    ],
    [`drop index "agent_session_by_outcome"`],
  );
}
