import type { MessageContent } from "../../domain/message.ts";
import type { Session } from "../../domain/session.ts";
import { preparedWrite, runStatement, runWrite } from "../prepared.ts";
import { parseContent } from "../rows/message-row.ts";
import { unlessUnreadable } from "../rows/parse.ts";
import { searchableText, searchWords } from "../search/search-words.ts";
import type { Queryable, SearchDocument } from "../dialect.ts";
import type { MessageRow } from "../tables.ts";
import type { Transaction } from "./transaction.ts";

/*
 * What the full-text search finds. SQLite writes nine pages for a document, so there triggers only note what is new, and
 * `indexNoted` takes it in a moment later, many at once. A search takes in what is left first, so that it misses nothing.
 */

type Names = Pick<Session, "id" | "title" | "purpose" | "agentName">;

/** The messages are complete. Their former content must have been forgotten. */
export async function indexMessages(
  transaction: Transaction,
  sessionId: string,
  messages: readonly { readonly id: string; readonly content: MessageContent }[],
): Promise<void> {
  if (transaction.dialect.indexesLater) return;
  const documents = messages.map(({ id, content }) => documentOf(sessionId, id, content));
  await add(transaction, documents);
}

/** Must precede indexing the new content of a message. */
export async function forgetMessage(transaction: Transaction, messageId: string): Promise<void> {
  if (!transaction.dialect.indexesLater) await forgetDocument(transaction, { messageId });
}

const forgetDocument = preparedWrite(({ db }, { messageId }: { messageId: string }) =>
  db.deleteFrom("SearchDocument").where("messageId", "=", messageId),
);

/** Replaces the document with the session's title, purpose and agent name. */
export async function indexSession(
  transaction: Transaction,
  session: Names,
  isNew: boolean,
): Promise<void> {
  if (transaction.dialect.indexesLater) return;
  if (!isNew) {
    await transaction.db
      .deleteFrom("SearchDocument")
      .where("sessionId", "=", session.id)
      .where("messageId", "is", null)
      .execute();
  }
  await add(transaction, [namesOf(session)]);
}

export async function isAnythingNoted(at: Queryable): Promise<boolean> {
  return (await runStatement(at, `select 1 from "SearchTodo" limit 1`, [])).length > 0;
}

const THESE = `(select value from json_each(?))`;

/** Takes in messages and sessions that were noted. Returns how many; fewer than the limit if none are left. */
export async function indexNoted(
  transaction: Transaction,
  { limit }: { readonly limit: number },
): Promise<number> {
  const noted = await runStatement<{ readonly id: string }>(
    transaction,
    `select "id" from "SearchTodo" limit ?`,
    [limit],
  );
  if (noted.length === 0) return 0;
  const ids = [JSON.stringify(noted.map(({ id }) => id))];
  const messages = await runStatement<Pick<MessageRow, "id" | "sessionId" | "content">>(
    transaction,
    `select "id", "sessionId", "content" from "AgentMessage" where "complete" = 1 and "id" in ${THESE}`,
    ids,
  );
  const sessions = await runStatement<Names>(
    transaction,
    `select "id", "title", "purpose", "agentName" from "AgentSession" where "id" in ${THESE}`,
    ids,
  );
  for (const which of [
    `"messageId" in ${THESE}`,
    `"sessionId" in ${THESE} and "messageId" is null`,
  ])
    await runWrite(transaction, `delete from "SearchDocument" where ${which}`, ids);
  const readable = messages.flatMap(({ id, sessionId, content }) => {
    const parsed = unlessUnreadable(() => parseContent(content));
    return parsed === undefined ? [] : [documentOf(sessionId, id, parsed)];
  });
  await add(transaction, [...readable, ...sessions.map(namesOf)]);
  await runWrite(transaction, `delete from "SearchTodo" where "id" in ${THESE}`, ids);
  return noted.length;
}

function documentOf(sessionId: string, messageId: string, content: MessageContent): SearchDocument {
  return { sessionId, messageId, words: distinctWords(searchableText(content)) };
}

function namesOf({ id, title, purpose, agentName }: Names): SearchDocument {
  const names = [title, purpose, agentName].filter((text) => text !== null);
  return { sessionId: id, messageId: null, words: distinctWords(names.join(" ")) };
}

async function add(transaction: Transaction, documents: readonly SearchDocument[]): Promise<void> {
  const found = documents.filter(({ words }) => words.length > 0);
  if (found.length > 0) await transaction.dialect.addDocuments(transaction, found);
}

function distinctWords(text: string): readonly string[] {
  return [...new Set(searchWords(text))];
}
