import type { Migration } from "kysely/migration";
import { statementsOnly, type MigrationContext } from "./migration-context.ts";

const OF_SESSION = `"sessionId" = "AgentSession"."id"`;
const TIMES = [
  `select max("queuedAt") as "at" from "Run" where ${OF_SESSION}`,
  `select max("startedAt") from "Run" where ${OF_SESSION}`,
  `select max("endedAt") from "Run" where ${OF_SESSION} and "status" <> 'interrupted'`,
  `select max("createdAt") from "Suspension" where ${OF_SESSION}`,
  `select max("closedAt") from "Suspension" where ${OF_SESSION}`,
];

/** Adds the time of the last turn, by which lists are sorted, its outcome, and the last line that an agent said. */
export function lastTurn({ engine }: Pick<MigrationContext, "engine">): Migration {
  const integer = engine === "sqlite" ? "integer" : "bigint";
  return statementsOnly(
    [
      `alter table "AgentSession" add column "lastTurnAt" ${integer} not null default 0`,
      `alter table "AgentSession" add column "lastOutcome" text`,
      `alter table "AgentSession" add column "lastLine" text`,
      `update "AgentSession" set
         "lastTurnAt" = coalesce((select max("at") from (${TIMES.join(" union all ")}) as "times"), "createdAt"),
         "lastOutcome" = (select "status" from "Run" where ${OF_SESSION} and "endedAt" is not null
           order by "endedAt" desc limit 1)`,
      `create index "agent_session_by_turn" on "AgentSession" ("status", "lastTurnAt", "id") where "setAside" = 0`,
      `create index "agent_session_by_repo_turn" on "AgentSession" ("repoId", "status", "lastTurnAt", "id")
         where "setAside" = 0`,
    ],
    [
      `drop index "agent_session_by_repo_turn"`,
      `drop index "agent_session_by_turn"`,
      `alter table "AgentSession" drop column "lastLine"`,
      `alter table "AgentSession" drop column "lastOutcome"`,
      `alter table "AgentSession" drop column "lastTurnAt"`,
    ],
  );
}
