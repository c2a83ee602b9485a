import type { Migration } from "kysely/migration";
import { statementsOnly, type MigrationContext } from "./migration-context.ts";

/**
 * Adds the time and the reason of a suspension. A stop of the server used to count as activity: the sessions it suspended
 * get back the time of their last real activity from their log.
 */
export function suspendedAt({ engine }: MigrationContext): Migration {
  const integer = engine === "sqlite" ? "integer" : "bigint";
  return statementsOnly(
    [
      `alter table "AgentSession" add column "suspendedAt" ${integer}`,
      `alter table "AgentSession" add column "suspendedReason" text`,
      `update "AgentSession" set "suspendedAt" = "updatedAt" where "status" = 'suspended'`,
      `update "AgentSession" set "lastActiveAt" = coalesce(${lastActivity(engine)}, "lastActiveAt")
        where "status" = 'suspended' and "lastActiveAt" = "updatedAt" and "setAside" = 0
          and ${wasStopped(engine)}`,
    ],
    [
      `alter table "AgentSession" drop column "suspendedReason"`,
      `alter table "AgentSession" drop column "suspendedAt"`,
    ],
  );
}

const LOG = `select * from "SessionEvent" where "sessionId" = "AgentSession"."id"`;

/** Whether the last event of the session is a suspension by a stop of the server. */
function wasStopped(engine: MigrationContext["engine"]): string {
  const [type, cause] = [field("type", engine), field("cause", engine)];
  return `exists (select 1 from (${LOG} and "kind" = 'event' order by "seq" desc limit 1) as "last"
    where ${type} = 'session.suspended' and ${cause} = 'shutdown' and "at" = "AgentSession"."lastActiveAt")`;
}

/** The time of the last log entry by a person, an agent or a hook. */
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
