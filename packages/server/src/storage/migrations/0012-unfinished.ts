import { sql, type Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import { unfinishedContent } from "../../domain/message.ts";
import { parseContent } from "../rows/message-row.ts";
import { unlessUnreadable } from "../rows/parse.ts";
import { eachBatch, execute, type MigrationContext } from "./migration-context.ts";

/** Maximum number of tool calls in memory. One can be a megabyte. */
const AT_ONCE = 50;

/**
 * Closes the tool calls that runs of earlier versions left open when they ended, and adds the unused answers of a run.
 *
 * A rollback removes the columns and leaves the calls `unfinished`. The earlier version shows that status, and an open
 * call would look as if an agent were working on it.
 */
export function unfinished({ engine }: Pick<MigrationContext, "engine">): Migration {
  const isSqlite = engine === "sqlite";
  const list = isSqlite ? `text check (json_valid("unusedAnswers"))` : "json";
  const flag = isSqlite ? "integer" : "smallint";
  return {
    async up(db) {
      await execute(db, [
        `alter table "Run" add column "unusedAnswers" ${list}`,
        `alter table "Run" add column "unusedShown" ${flag}`,
        `create index "run_unused_answers" on "Run" ("endedAt") where "unusedShown" = 1`,
      ]);
      await closeCalls(db);
    },
    down: (db) =>
      execute(db, [
        `drop index "run_unused_answers"`,
        `alter table "Run" drop column "unusedShown"`,
        `alter table "Run" drop column "unusedAnswers"`,
      ]),
  };
}

interface StoredCall {
  readonly id: string;
  readonly sessionId: string;
  readonly seq: number;
  readonly content: string;
}

/** The call of a complete message cannot be open: its run has ended, or has lost its agent. */
async function closeCalls<Schema>(db: Kysely<Schema>): Promise<void> {
  await eachBatch(
    // The pattern leaves few rows to parse.
    (after) =>
      sql<StoredCall>`
      select "id", "sessionId", "seq", cast("content" as text) as "content" from "AgentMessage"
      where "id" > ${after} and "complete" = 1 and cast("content" as text) like '%"tool"%'
        and (cast("content" as text) like '%"pending"%' or cast("content" as text) like '%"in_progress"%')
      order by "id" limit ${sql.lit(AT_ONCE)}`.execute(db),
    async (rows) => {
      for (const row of rows) await closeCall(db, row);
    },
  );
}

async function closeCall<Schema>(db: Kysely<Schema>, call: StoredCall): Promise<void> {
  const content = unlessUnreadable(() => parseContent(call.content));
  const closed = content === undefined ? content : unfinishedContent(content);
  if (closed === content) return;
  const { id, sessionId, seq } = call;
  await sql`update "AgentMessage" set "content" = ${JSON.stringify(closed)} where "id" = ${id}`.execute(
    db,
  );
  // The new version goes to the end of the log, so that readers of the events receive it.
  await sql`delete from "SessionEvent" where "sessionId" = ${sessionId} and "seq" >= ${seq}
    and "messageId" = ${id}`.execute(db);
  await sql`update "AgentSession" set "lastSeq" = "lastSeq" + 1 where "id" = ${sessionId}`.execute(
    db,
  );
  await sql`insert into "SessionEvent" ("sessionId", "seq", "at", "kind", "messageId")
    select "id", "lastSeq", "updatedAt", 'message', ${id} from "AgentSession" where "id" = ${sessionId}`.execute(
    db,
  );
}
