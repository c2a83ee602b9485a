import { sql } from "kysely";
import type { Migration } from "kysely/migration";
import type { MigrationContext } from "./migration-context.ts";

/**
 * Sessions say since when and why they are suspended. A stop of the server used to count as activity:
 * sessions that it suspended get back the time of their last real activity, which their log has.
 */
export function suspendedAt({ engine }: MigrationContext): Migration {
  const integer = engine === "sqlite" ? "integer" : "bigint";
  return {
    async up(db) {
      const run = (statement: string): Promise<unknown> => sql.raw(statement).execute(db);
      await run(`alter table "AgentSession" add column "suspendedAt" ${integer}`);
      await run(`alter table "AgentSession" add column "suspendedReason" text`);
      await run(
        `update "AgentSession" set "suspendedAt" = "updatedAt" where "status" = 'suspended'`,
      );
      await run(`update "AgentSession" set "lastActiveAt" = coalesce(${lastActivity(engine)}, "lastActiveAt")
        where "status" = 'suspended' and "lastActiveAt" = "updatedAt" and "setAside" = 0
          and ${wasStopped(engine)}`);
    },
    async down(db) {
      await sql`alter table "AgentSession" drop column "suspendedReason"`.execute(db);
      await sql`alter table "AgentSession" drop column "suspendedAt"`.execute(db);
    },
  };
}

const LOG = `select * from "SessionEvent" where "sessionId" = "AgentSession"."id"`;

/** The last kernel event of the session is that a stop of the server suspended it. */
function wasStopped(engine: MigrationContext["engine"]): string {
  const [type, cause] = [field("type", engine), field("cause", engine)];
  return `exists (select 1 from (${LOG} and "kind" = 'event' order by "seq" desc limit 1) as "last"
    where ${type} = 'session.suspended' and ${cause} = 'shutdown' and "at" = "AgentSession"."lastActiveAt")`;
}

/** The time of the last entry of the log that a person, an agent or a hook made. */
function lastActivity(engine: MigrationContext["engine"]): string {
  const [type, outcome] = [field("type", engine), field("result.outcome", engine)];
  return `(select "at" from (${LOG}) as "entry" where "kind" <> 'event' or not (
      ${type} in ('session.suspended', 'session.archived', 'session.failed', 'run.requeued', 'message.undelivered')
      or (${type} = 'run.ended' and ${outcome} = 'interrupted'))
    order by "seq" desc limit 1)`;
}

function field(name: string, engine: MigrationContext["engine"]): string {
  return engine === "sqlite"
    ? `json_extract("data", '$.${name}')`
    : `(cast("data" as json) #>> '{${name.replace(".", ",")}}')`;
}
