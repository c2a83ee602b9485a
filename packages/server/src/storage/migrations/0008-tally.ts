import type { Migration } from "kysely/migration";
import { statementsOnly, type MigrationContext } from "./migration-context.ts";

/**
 * Counts sessions by status and repository on PostgreSQL. SQLite has the counts since 0002. Writers would wait for each
 * other at a counter, so each change adds a row, and a read adds them up. The server compacts the rows regularly.
 */
export function tally({ engine }: Pick<MigrationContext, "engine">): Migration {
  return engine === "sqlite" ? statementsOnly([], []) : statementsOnly(UP, DOWN);
}

const UP = [
  `create table "SessionTally" (
      "repoId" text not null,
      "status" text not null,
      "count" bigint not null,
      "folded" smallint not null default 0
    )`,
  `create function "count_session"() returns trigger language plpgsql as $$
    begin
      if tg_op <> 'INSERT' and old."setAside" = 0 then
        insert into "SessionTally" ("repoId", "status", "count") values (coalesce(old."repoId", ''), old."status", -1);
      end if;
      if tg_op <> 'DELETE' and new."setAside" = 0 then
        insert into "SessionTally" ("repoId", "status", "count") values (coalesce(new."repoId", ''), new."status", 1);
      end if;
      return null;
    end $$`,
  `create trigger "session_counted" after insert or delete on "AgentSession"
    for each row execute function "count_session"()`,
  `create trigger "session_changed" after update of "status", "repoId", "setAside" on "AgentSession"
    for each row when (old."status" <> new."status" or old."repoId" is distinct from new."repoId"
      or old."setAside" <> new."setAside") execute function "count_session"()`,
  // Creating a trigger locks the table until the commit, so no session changes meanwhile.
  `insert into "SessionTally" ("repoId", "status", "count", "folded")
    select coalesce("repoId", ''), "status", count(*), 1 from "AgentSession" where "setAside" = 0 group by 1, 2`,
];

const DOWN = [
  `drop trigger "session_changed" on "AgentSession"`,
  `drop trigger "session_counted" on "AgentSession"`,
  `drop function "count_session"()`,
  `drop table "SessionTally"`,
];
