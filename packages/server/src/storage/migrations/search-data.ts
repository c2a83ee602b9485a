import { sql } from "kysely";
import type { SearchDocument } from "../dialect.ts";
import { POSTGRES } from "../postgres/postgres-dialect.ts";
import { searchableText, searchWords } from "../search/search-words.ts";
import { SQLITE } from "../sqlite/sqlite-dialect.ts";
import type { Database } from "../tables.ts";
import { eachBatch, type MigrationContext } from "./migration-context.ts";

/** Maximum number of messages in memory. One message can be large. */
const BATCH = 50;

/** Indexes all sessions and their complete messages. An incomplete message is indexed when it is completed. */
export async function indexExisting(
  db: Database,
  engine: MigrationContext["engine"],
): Promise<void> {
  const dialect = engine === "sqlite" ? SQLITE : POSTGRES;
  const add = async (documents: readonly (Omit<SearchDocument, "words"> & { text: string })[]) => {
    const indexed = documents
      .map(({ text, ...document }) => ({ ...document, words: [...new Set(searchWords(text))] }))
      .filter(({ words }) => words.length > 0);
    if (indexed.length > 0) await dialect.addDocuments({ db, dialect }, indexed);
  };
  await eachBatch(
    (after) =>
      sql<{
        id: string;
        sessionId: string;
        content: string;
      }>`select "id", "sessionId", "content" from "AgentMessage"
      where "complete" = 1 and "id" > ${after} order by "id" limit ${BATCH}`.execute(db),
    (rows) =>
      add(
        rows.map(({ id, sessionId, content }) => ({
          sessionId,
          messageId: id,
          text: searchableText(JSON.parse(content)),
        })),
      ),
  );
  await eachBatch(
    (after) =>
      sql<
        Record<"title" | "purpose" | "agentName", string | null> & { id: string }
      >`select "id", "title", "purpose", "agentName" from "AgentSession"
      where "id" > ${after} order by "id" limit ${BATCH}`.execute(db),
    (rows) =>
      add(
        rows.map(({ id: sessionId, title, purpose, agentName }) => ({
          sessionId,
          messageId: null,
          text: [title, purpose, agentName].filter((text) => text !== null).join(" "),
        })),
      ),
  );
}
