import { sql } from "kysely";
import type { Migration } from "kysely/migration";
import type { MigrationContext } from "./migration-context.ts";

/**
 * How many sessions there are of each status in each repository, as SQLite has it since 0002. Writers of PostgreSQL would queue
 * up behind counters: here each change is a row of its own, and whoever reads adds them up. Now and then they are folded.
 */
export function tally({ engine }: Pick<MigrationContext, "engine">): Migration {
  return {
    async up(db) {
      if (engine === "sqlite") return;
      for (const statement of UP) await sql.raw(statement).execute(db);
    },
    async down(db) {
      if (engine === "sqlite") return;
      for (const statement of DOWN) await sql.raw(statement).execute(db);
    },
  };
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
  // Nobody changes a session meanwhile: to make a trigger locks the table until all of this is committed.
  `insert into "SessionTally" ("repoId", "status", "count", "folded")
    select coalesce("repoId", ''), "status", count(*), 1 from "AgentSession" where "setAside" = 0 group by 1, 2`,
];

const DOWN = [
  `drop trigger "session_changed" on "AgentSession"`,
  `drop trigger "session_counted" on "AgentSession"`,
  `drop function "count_session"()`,
  `drop table "SessionTally"`,
];
