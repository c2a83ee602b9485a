import type { Kysely } from "kysely";
import type { MigrationContext } from "./migration-context.ts";

export async function dropSessionTables(
  db: Kysely<unknown>,
  engine: MigrationContext["engine"],
): Promise<void> {
  const children = [
    "SetAside",
    "NodeLease",
    "IdempotencyKey",
    "Suspension",
    "QueuedMessage",
    "SessionEvent",
    "Run",
  ];
  const renamed = ["holdfast_AgentMessage", "holdfast_AgentSession", "holdfast_Repo"];
  if (engine === "sqlite") children.unshift("SessionTally");
  for (const table of [...children, ...renamed]) await db.schema.dropTable(table).execute();
}

/** Creates the tables of 0002. Keys and indexes have new names, because the portal's tables keep theirs. */
export function sessionTables(engine: MigrationContext["engine"]): readonly string[] {
  const sqlite = engine === "sqlite";
  const integer = sqlite ? "integer" : "bigint";
  const flag = sqlite ? "integer" : "smallint";
  /** Stored as text, to keep the order of the keys. */
  const json = (column: string, rest: string): string =>
    sqlite
      ? `"${column}" text ${rest} check (json_valid("${column}"))`
      : `"${column}" json ${rest}`;
  const strict = sqlite ? " strict" : "";
  const clustered = sqlite ? " without rowid, strict" : "";
  const ofSession = (key: string): string =>
    `"sessionId" text not null constraint "${key}" references "AgentSession" ("id") on delete cascade`;

  return [
    `create table "Repo" (
      "id" text not null,
      "path" text not null,
      "name" text not null,
      "createdAt" ${integer} not null,
      constraint "repo_key" primary key ("id"),
      constraint "repo_path" unique ("path")
    )${strict}`,

    `create table "AgentSession" (
      "id" text not null,
      "repoId" text constraint "agent_session_repo" references "Repo" ("id"),
      "title" text,
      "status" text not null check ("status" in ('active', 'suspended', 'archived', 'error')),
      "state" text not null check ("state" in ('idle', 'running', 'suspended')),
      "phase" text not null check ("phase" in ('initializing', 'investigating', 'planning', 'approval',
        'executing', 'validating', 'completed', 'failed', 'abandoned')),
      ${json("phaseHistory", "not null")},
      "resumeReady" ${flag} not null,
      "errorCount" ${integer} not null,
      "lastError" text,
      "lastErrorId" text,
      "agentName" text,
      "purpose" text,
      ${json("metadata", "not null")},
      "provider" text,
      "model" text,
      "supportsResume" ${flag} not null,
      ${json("resumeData", "")},
      "delivery" text not null check ("delivery" in ('open', 'hold', 'reject')),
      "queued" ${integer} not null check ("queued" >= 0),
      ${json("forkedFrom", "")},
      "failure" text,
      "summary" text,
      "createdAt" ${integer} not null,
      "updatedAt" ${integer} not null,
      "lastActiveAt" ${integer} not null,
      "archivedAt" ${integer},
      "failedAt" ${integer},
      "finalizedAt" ${integer},
      "version" ${integer} not null,
      "lastSeq" ${integer} not null,
      "owner" text,
      "epoch" ${integer} not null default 0,
      "setAside" ${flag} not null default 0,
      constraint "agent_session_key" primary key ("id"),
      constraint "agent_session_standing" check (
        "status" = 'active'
        or ("status" = 'suspended' and "state" in ('idle', 'suspended'))
        or ("status" = 'archived' and "state" = 'idle' and "archivedAt" is not null)
        or ("status" = 'error' and "state" = 'idle' and "failedAt" is not null)
      )
    )${strict}`,
    `create index "agent_session_by_time" on "AgentSession" ("createdAt", "id") where "setAside" = 0`,
    `create index "agent_session_by_status" on "AgentSession" ("status", "createdAt", "id") where "setAside" = 0`,
    `create index "agent_session_by_repo" on "AgentSession" ("repoId", "status", "createdAt", "id") where "setAside" = 0`,
    `create index "agent_session_by_agent" on "AgentSession" ("agentName", "createdAt", "id")
      where "setAside" = 0 and "agentName" is not null`,
    `create index "agent_session_by_phase" on "AgentSession" ("phase", "createdAt", "id")
      where "setAside" = 0 and "phase" <> 'initializing'`,
    `create index "agent_session_at_work" on "AgentSession" ("state", "createdAt", "id")
      where "setAside" = 0 and "state" <> 'idle'`,
    `create index "agent_session_queued" on "AgentSession" ("id") where "queued" > 0`,
    `create index "agent_session_by_owner" on "AgentSession" ("owner") where "owner" is not null`,

    `create table "AgentMessage" (
      "id" text not null,
      ${ofSession("agent_message_session")},
      "runId" text,
      "seq" ${integer} not null,
      "role" text not null check ("role" in ('user', 'agent', 'system')),
      ${json("content", "not null")},
      "complete" ${flag} not null,
      "timestamp" ${integer} not null,
      constraint "agent_message_key" primary key ("id")
    )${strict}`,
    `create unique index "agent_message_by_session" on "AgentMessage" ("sessionId", "seq")`,
    `create index "agent_message_by_time" on "AgentMessage" ("sessionId", "timestamp")`,
    `create index "agent_message_growing" on "AgentMessage" ("sessionId") where "complete" = 0`,

    `create table "Run" (
      "id" text not null,
      ${ofSession("run_session")},
      "messageId" text not null,
      "status" text not null check ("status" in ('queued', 'running', 'suspended', 'completed', 'failed',
        'cancelled', 'interrupted')),
      "provider" text,
      "model" text,
      "continuity" text not null check ("continuity" in ('auto', 'required', 'off')),
      "handed" ${flag} not null,
      "attempts" ${integer} not null,
      "stopReason" text,
      ${json("error", "")},
      ${json("usage", "")},
      "queuedAt" ${integer} not null,
      "startedAt" ${integer},
      "endedAt" ${integer},
      constraint "run_key" primary key ("id")
    )${strict}`,
    `create index "run_by_session" on "Run" ("sessionId", "queuedAt")`,
    `create unique index "run_at_work" on "Run" ("sessionId") where "status" in ('running', 'suspended')`,

    `create table "SessionEvent" (
      ${ofSession("session_event_session")},
      "seq" ${integer} not null,
      "at" ${integer} not null,
      "kind" text not null check ("kind" in ('event', 'message', 'delta')),
      "messageId" text,
      "data" text,
      constraint "session_event_key" primary key ("sessionId", "seq")
    )${clustered}`,

    `create table "QueuedMessage" (
      "messageId" text not null,
      ${ofSession("queued_message_session")},
      "runId" text not null,
      "position" ${integer} not null,
      ${json("content", "not null")},
      "provider" text,
      "model" text,
      "continuity" text not null check ("continuity" in ('auto', 'required', 'off')),
      "attempts" ${integer} not null,
      "queuedAt" ${integer} not null,
      constraint "queued_message_key" primary key ("messageId")
    )${strict}`,
    `create index "queued_message_by_session" on "QueuedMessage" ("sessionId", "position")`,

    `create table "Suspension" (
      "id" text not null,
      ${ofSession("suspension_session")},
      "runId" text not null constraint "suspension_run" references "Run" ("id") on delete cascade,
      "kind" text not null check ("kind" in ('permission', 'question', 'tool_result', 'event', 'rate_limit',
        'budget', 'shutdown')),
      ${json("request", "not null")},
      "fingerprint" text,
      "status" text not null check ("status" in ('open', 'answered', 'withdrawn', 'expired', 'released')),
      ${json("answer", "")},
      "answeredBy" text,
      "createdAt" ${integer} not null,
      "expiresAt" ${integer},
      "closedAt" ${integer},
      constraint "suspension_key" primary key ("id")
    )${strict}`,
    `create index "suspension_by_session" on "Suspension" ("sessionId", "createdAt")`,
    `create index "suspension_by_run" on "Suspension" ("runId")`,
    `create index "suspension_open" on "Suspension" ("createdAt") where "status" = 'open'`,

    `create table "IdempotencyKey" (
      "scope" text not null,
      "key" text not null,
      "requestHash" text not null,
      ${json("response", "not null")},
      "createdAt" ${integer} not null,
      constraint "idempotency_key_key" primary key ("scope", "key")
    )${clustered}`,
    `create index "idempotency_key_by_time" on "IdempotencyKey" ("createdAt")`,

    `create table "NodeLease" (
      "node" text not null,
      "expiresAt" ${integer} not null,
      "startedAt" ${integer} not null,
      constraint "node_lease_key" primary key ("node")
    )${strict}`,

    `create table "SetAside" (
      "tableName" text not null,
      "rowId" text not null,
      "reason" text not null,
      "row" text not null,
      "at" ${integer} not null,
      constraint "set_aside_key" primary key ("tableName", "rowId")
    )${strict}`,

    ...(sqlite ? tally() : []),
  ];
}

/** SQLite counts sessions with triggers. PostgreSQL counts them since 0008. */
function tally(): readonly string[] {
  const counted = `insert into "SessionTally" ("repoId", "status", "count")
      select coalesce(new."repoId", ''), new."status", 1 where new."setAside" = 0
      on conflict ("repoId", "status") do update set "count" = "count" + 1;`;
  const uncounted = `update "SessionTally" set "count" = "count" - 1
      where "repoId" = coalesce(old."repoId", '') and "status" = old."status" and old."setAside" = 0;`;
  return [
    `create table "SessionTally" (
      "repoId" text not null,
      "status" text not null,
      "count" integer not null,
      constraint "session_tally_key" primary key ("repoId", "status")
    ) without rowid, strict`,
    `create trigger "session_added" after insert on "AgentSession" begin ${counted} end`,
    `create trigger "session_removed" after delete on "AgentSession" begin ${uncounted} end`,
    `create trigger "session_changed" after update of "status", "repoId", "setAside" on "AgentSession"
      when old."status" is not new."status" or old."repoId" is not new."repoId"
        or old."setAside" is not new."setAside"
      begin ${uncounted} ${counted} end`,
  ];
}
