import type { AskServer } from "../dialect.ts";
import type { Appended, Output } from "../ports/transcript-store.ts";
import { growthOf } from "../writes/append-output.ts";

/**
 * Stores new messages that are incomplete, and more text of open messages, in one statement. Null if it stored nothing:
 * the output is of another kind, it is refused, or the session has just changed. Then `appendOutput` decides.
 */
export async function appendAtOnce(ask: AskServer, output: Output): Promise<Appended | null> {
  const growth = growthOf(output);
  if (growth === null) return null;
  const { sessionId, runId, at, fence, after = 0, agentCursor = null, durable } = output;
  const { entries, opened, grown } = growth;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the statement determines its rows
  const rows = (await ask(APPEND, [
    sessionId,
    fence.node,
    fence.epoch,
    after,
    runId,
    grown,
    entries.length,
    at,
    agentCursor,
    entries.map(({ kind }) => kind),
    entries.map(({ messageId }) => messageId),
    entries.map(({ data }) => data),
    opened.map(({ id }) => id),
    opened.map(({ place }) => place),
    opened.map(({ role }) => role),
    opened.map(({ content }) => content),
    durable,
  ])) as readonly { readonly lastSeq: number; readonly at: number }[];
  const [stored] = rows;
  if (stored === undefined) return null;
  const { lastSeq } = stored;
  return { ok: true, firstSeq: lastSeq - entries.length + 1, lastSeq, at: stored.at };
}

/**
 * The other tables are read as of the start of the statement. What it reads of them is still true when it stores: whoever
 * changes the current run or its messages also writes the session's row, and then `xmin` is another one. All conditions
 * on that row are checked again if the statement had to wait for it. Literals, so that partial indexes are used.
 */
export const APPEND = `with "seen" as materialized (
  select xmin as "writtenBy" from "AgentSession" where "id" = $1
), "stored" as (
  update "AgentSession" as "session" set
    "lastSeq" = "session"."lastSeq" + $7,
    "updatedAt" = greatest("session"."updatedAt", $8),
    "lastActiveAt" = greatest("session"."updatedAt", $8),
    "agentCursor" = coalesce($9, "session"."agentCursor")
  from "seen"
  where "session"."id" = $1 and "session".xmin = "seen"."writtenBy"
    and "session"."owner" = $2 and "session"."epoch" = $3 and "session"."lastSeq" >= $4
    and exists (
      select from "Run"
      where "sessionId" = $1 and "id" = $5 and "status" in ('running', 'suspended')
    )
    and cardinality($6::text[]) = (
      select count(*) from "AgentMessage"
      where "id" = any ($6::text[]) and "sessionId" = $1 and "complete" = 0
    )
  returning "session"."lastSeq", "session"."updatedAt" as "at"
), "logged" as (
  insert into "SessionEvent" ("sessionId", "seq", "at", "kind", "messageId", "data")
  select $1, "lastSeq" - $7 + "place", "at", "kind", "messageId", "data"
  from "stored", unnest($10::text[], $11::text[], $12::text[])
    with ordinality as "entry" ("kind", "messageId", "data", "place")
), "opened" as (
  insert into "AgentMessage"
    ("id", "sessionId", "runId", "seq", "role", "content", "complete", "timestamp")
  select "id", $1, $5, "lastSeq" - $7 + "place", "role", "content"::json, 0, "at"
  from "stored", unnest($13::text[], $14::bigint[], $15::text[], $16::text[])
    as "message" ("id", "place", "role", "content")
)
select "lastSeq", "at",
  case when not $17::boolean then set_config('synchronous_commit', 'off', true) end
from "stored"`;
