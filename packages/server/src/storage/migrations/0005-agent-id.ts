import { sql } from "kysely";
import type { Migration } from "kysely/migration";

/** Sessions that orchestrators know by a name of their own. */
export function agentId(): Migration {
  return {
    async up(db) {
      await sql`alter table "AgentSession" add column "agentId" text`.execute(db);
      await sql`create unique index "agent_session_by_agent_id" on "AgentSession" ("agentId")
        where "agentId" is not null`.execute(db);
    },
    async down(db) {
      await sql`drop index "agent_session_by_agent_id"`.execute(db);
      await sql`alter table "AgentSession" drop column "agentId"`.execute(db);
    },
  };
}
