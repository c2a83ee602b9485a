import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import { execute, type MigrationContext } from "./migration-context.ts";

const OLD = ["permission", "question", "tool_result", "event", "rate_limit", "budget", "shutdown"];
const ADDED = ["elicitation", "login"];

/**
 * Adds kinds of suspensions. A rollback turns the suspensions of these kinds into questions, also in the log, because an
 * earlier version could not read them.
 */
export function suspensionKinds({ engine }: Pick<MigrationContext, "engine">): Migration {
  const allow = engine === "sqlite" ? allowInSqlite : allowInPostgres;
  return {
    up: (db) => allow(db, [...OLD, ...ADDED]),
    async down(db) {
      await execute(
        db,
        ADDED.flatMap((kind) => [
          `update "Suspension" set "kind" = 'question' where "kind" = '${kind}'`,
          `update "SessionEvent" set "data" = replace("data", '"kind":"${kind}"', '"kind":"question"')
           where "kind" = 'event' and "data" like '%run.suspended%' and "data" like '%"kind":"${kind}"%'`,
        ]),
      );
      await allow(db, OLD);
    },
  };
}

/** SQLite cannot change a check, so the table is copied. No other table refers to it. */
function allowInSqlite<Schema>(db: Kysely<Schema>, kinds: readonly string[]): Promise<void> {
  return execute(db, [
    `create table "NewSuspension" (
      "id" text not null,
      "sessionId" text not null constraint "suspension_session" references "AgentSession" ("id") on delete cascade,
      "runId" text not null constraint "suspension_run" references "Run" ("id") on delete cascade,
      "kind" text not null check ("kind" in (${listOf(kinds)})),
      "request" text not null check (json_valid("request")),
      "fingerprint" text,
      "status" text not null check ("status" in ('open', 'answered', 'withdrawn', 'expired', 'released')),
      "answer" text  check (json_valid("answer")),
      "answeredBy" text,
      "createdAt" integer not null,
      "expiresAt" integer,
      "closedAt" integer,
      constraint "suspension_key" primary key ("id")
    ) strict`,
    `insert into "NewSuspension" ("rowid", "id", "sessionId", "runId", "kind", "request", "fingerprint", "status", "answer",
       "answeredBy", "createdAt", "expiresAt", "closedAt")
     select "rowid", "id", "sessionId", "runId", "kind", "request", "fingerprint", "status", "answer",
       "answeredBy", "createdAt", "expiresAt", "closedAt" from "Suspension"`,
    `drop table "Suspension"`,
    `alter table "NewSuspension" rename to "Suspension"`,
    `create index "suspension_by_session" on "Suspension" ("sessionId", "createdAt")`,
    `create index "suspension_by_run" on "Suspension" ("runId")`,
    `create index "suspension_open" on "Suspension" ("createdAt") where "status" = 'open'`,
  ]);
}

/** Lines are broken as in the first version of the table, so that a rollback restores its text. */
function listOf(kinds: readonly string[]): string {
  const quoted = kinds.map((kind) => `'${kind}'`);
  return `${quoted.slice(0, 5).join(", ")},\n        ${quoted.slice(5).join(", ")}`;
}

function allowInPostgres<Schema>(db: Kysely<Schema>, kinds: readonly string[]): Promise<void> {
  const list = kinds.map((kind) => `'${kind}'`).join(", ");
  return execute(db, [
    `alter table "Suspension" drop constraint if exists "Suspension_kind_check"`,
    `alter table "Suspension" add constraint "Suspension_kind_check" check ("kind" in (${list}))`,
  ]);
}
