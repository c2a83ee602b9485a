import { sql } from "kysely";
import { ROLES } from "../../domain/message.ts";
import { excerptOf } from "../search/excerpt.ts";
import { parseContent } from "../rows/message-row.ts";
import { unlessUnreadable } from "../rows/parse.ts";
import { searchableText, searchWords } from "../search/search-words.ts";
import type { SearchHit } from "../ports/session-store.ts";
import type { Source } from "./source.ts";

/** The best hit of a session is chosen among this many of the newest ones. */
const CANDIDATES = 5;
/** Longer messages are not read: a page of them would need too much memory. */
const READ_CHARACTERS = 131_072;

/** The newest hit of each session. Texts take precedence over tool calls. */
export async function searchHits(
  source: Source,
  sessions: readonly { readonly id: string }[],
  search: string,
): Promise<readonly SearchHit[]> {
  const words = searchWords(search);
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
        and ${source.dialect.matches(words)}
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
  const hits = new Map(rows.map((row) => [row.sessionId, row]));
  return sessions.flatMap(({ id: sessionId }) => {
    const row = hits.get(sessionId);
    const role = ROLES.find((name) => name === row?.role);
    if (row === undefined || role === undefined) return [];
    const content = unlessUnreadable(() => parseContent(row.content ?? ""));
    const excerpt = excerptOf(content === undefined ? "" : searchableText(content), words);
    return [{ sessionId, messageId: row.id, role, type: content?.type ?? null, excerpt }];
  });
}
