import { sql, type Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import { unfinishedContent } from "../../domain/message.ts";
import { parseContent } from "../rows/message-row.ts";
import { UnreadableRow } from "../rows/parse.ts";
import type { MigrationContext } from "./migrations.ts";

/** Tool calls may hold a megabyte each: so many are in memory at a time. */
const AT_ONCE = 50;

/**
 * Closes the tool calls that runs of earlier versions left open when they ended, and lets runs keep the answers that
 * were allowed and never used.
 *
 * Rolling back removes the columns and leaves the calls `unfinished`: the earlier version knows and shows that status,
 * and to open them again would claim that somebody works on them.
 */
export function unfinished({ engine }: Pick<MigrationContext, "engine">): Migration {
  const isSqlite = engine === "sqlite";
  const list = isSqlite ? `text check (json_valid("unusedAnswers"))` : "json";
  const flag = isSqlite ? "integer" : "smallint";
  return {
    async up(db) {
      await sql.raw(`alter table "Run" add column "unusedAnswers" ${list}`).execute(db);
      await sql.raw(`alter table "Run" add column "unusedShown" ${flag}`).execute(db);
      await sql`create index "run_unused_answers" on "Run" ("endedAt") where "unusedShown" = 1`.execute(
        db,
      );
      await closeCalls(db);
    },
    async down(db) {
      await sql`drop index "run_unused_answers"`.execute(db);
      await sql`alter table "Run" drop column "unusedShown"`.execute(db);
      await sql`alter table "Run" drop column "unusedAnswers"`.execute(db);
    },
  };
}

interface FoundCall {
  readonly id: string;
  readonly sessionId: string;
  readonly seq: number;
  readonly content: string;
}

/** A message that is complete does not change any more, so its call cannot be open: its run has ended, or lost its agent. */
async function closeCalls<Schema>(db: Kysely<Schema>): Promise<void> {
  let after = "";
  for (;;) {
    // Read once by the key; the pattern leaves few to look at closely.
    const { rows } = await sql<FoundCall>`
      select "id", "sessionId", "seq", cast("content" as text) as "content" from "AgentMessage"
      where "id" > ${after} and "complete" = 1 and cast("content" as text) like '%"tool"%'
        and (cast("content" as text) like '%"pending"%' or cast("content" as text) like '%"in_progress"%')
      order by "id" limit ${sql.lit(AT_ONCE)}`.execute(db);
    for (const row of rows) await closeCall(db, row);
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}

async function closeCall<Schema>(db: Kysely<Schema>, call: FoundCall): Promise<void> {
  const content = closedContent(call.content);
  if (content === null) return;
  const { id, sessionId, seq } = call;
  await sql`update "AgentMessage" set "content" = ${content} where "id" = ${id}`.execute(db);
  // Who reads the session's events and has seen the call is sent it again: the log has its newest version at its end.
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

/** Null for what is no open call, or cannot be read: that is left as it was found. */
function closedContent(text: string): string | null {
  try {
    const content = parseContent(text);
    const closed = unfinishedContent(content);
    return closed === content ? null : JSON.stringify(closed);
  } catch (error) {
    if (error instanceof UnreadableRow) return null;
    throw error;
  }
}
