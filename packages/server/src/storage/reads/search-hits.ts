import { sql, type RawBuilder } from "kysely";
import { ROLES, type MessageContent } from "../../domain/message.ts";
import { excerptOf } from "../search/excerpt.ts";
import { parseContent } from "../rows/message-row.ts";
import { UnreadableRow } from "../rows/parse.ts";
import { searchableText, searchWords } from "../search/search-words.ts";
import type { SearchHit } from "../store.ts";
import type { Source } from "./source.ts";

/** Of the messages found in a session, so many of the newest are looked at for the best one. */
const CANDIDATES = 5;
/** What is stored of a longer message is not read: a page of them would fill the memory. */
const READ_CHARACTERS = 131_072;

/** Whether a document has every word, the last letters of each left open. */
export function hasWords({ engine }: Source, words: readonly string[]): RawBuilder<boolean> {
  return engine === "sqlite"
    ? sql`"SearchDocument"."key" in (select rowid from "SearchIndex"
        where "SearchIndex" match ${words.map((word) => `"${word}"*`).join(" ")})`
    : sql`"SearchDocument"."words" @@ cast(${words.map((word) => `'${word}':*`).join(" & ")} as tsquery)`;
}

/** For each session the newest message found; what was said before what tools did. */
export async function searchHits(
  source: Source,
  {
    sessions,
    search,
  }: { readonly sessions: readonly { readonly id: string }[]; readonly search: string | undefined },
): Promise<readonly SearchHit[]> {
  const words = search === undefined ? [] : searchWords(search);
  if (words.length === 0 || sessions.length === 0) return [];
  const { rows } = await sql<{
    id: string;
    sessionId: string;
    role: string;
    content: string | null;
  }>`with "found" as (
      select "messageId", row_number() over (partition by "sessionId" order by "key" desc) as "age"
      from "SearchDocument"
      where "messageId" is not null and "sessionId" in (${sql.join(sessions.map(({ id }) => id))})
        and ${hasWords(source, words)}
    ), "candidate" as (
      select "id", "sessionId", "role", cast("content" as text) as "text", row_number() over (
        partition by "sessionId"
        order by case when "role" <> 'system' and cast("content" as text) like '{"type":"text"%' then 0 else 1 end, "seq" desc
      ) as "rank"
      from "found" join "AgentMessage" on "AgentMessage"."id" = "found"."messageId"
      where "found"."age" <= ${sql.lit(CANDIDATES)}
    )
    select "id", "sessionId", "role",
      case when length("text") <= ${sql.lit(READ_CHARACTERS)} then "text" end as "content"
    from "candidate" where "rank" = 1`.execute(source.db);
  const found = new Map(rows.map((row) => [row.sessionId, row]));
  return sessions.flatMap(({ id: sessionId }) => {
    const row = found.get(sessionId);
    const role = ROLES.find((known) => known === row?.role);
    if (row === undefined || role === undefined) return [];
    const content = readContent(row.content);
    const excerpt = excerptOf(content === null ? "" : searchableText(content), words);
    return [{ sessionId, messageId: row.id, role, type: content?.type ?? null, excerpt }];
  });
}

/** A row that cannot be read is not this list's to report: it shows the session without it. */
function readContent(content: string | null): MessageContent | null {
  if (content === null) return null;
  try {
    return parseContent(content);
  } catch (error) {
    if (error instanceof UnreadableRow) return null;
    throw error;
  }
}
