import { sql } from "kysely";
import type { MessageContent } from "../../domain/message.ts";
import type { Session } from "../../domain/session.ts";
import { searchableText, searchWords } from "../search/search-words.ts";
import type { Transaction } from "./transaction.ts";
import { runWrittenOut } from "./written-out.ts";

export async function indexMessage(
  transaction: Transaction,
  message: { readonly id: string; readonly sessionId: string; readonly content: MessageContent },
): Promise<void> {
  const words = searchWords(searchableText(message.content));
  if (words.length > 0)
    await addDocument(transaction, { ...message, messageId: message.id, words });
}

/** As `indexMessage`, of many at once. */
export async function indexMessages(
  { db, engine }: Transaction,
  {
    sessionId,
    messages,
  }: {
    readonly sessionId: string;
    readonly messages: readonly { readonly id: string; readonly content: MessageContent }[];
  },
): Promise<void> {
  const documents = new Map(
    messages.flatMap(({ id, content }): [string, readonly string[]][] => {
      const words = [...new Set(searchWords(searchableText(content)))];
      return words.length === 0 ? [] : [[id, words]];
    }),
  );
  if (documents.size === 0) return;
  if (engine === "postgres") {
    const values = [...documents].map(
      ([id, words]) => sql`(${sessionId}, ${id}, array_to_tsvector(${words}::text[]))`,
    );
    await sql`insert into "SearchDocument" ("sessionId", "messageId", "words")
      values ${sql.join(values)}`.execute(db);
    return;
  }
  const owned = [...documents.keys()].map((id) => sql`(${sessionId}, ${id})`);
  const { rows } = await sql<{
    key: number;
    messageId: string;
  }>`insert into "SearchDocument" ("sessionId", "messageId")
    values ${sql.join(owned)} returning "key", "messageId"`.execute(db);
  const indexed = rows.map(
    ({ key, messageId }) => sql`(${key}, ${documents.get(messageId)?.join(" ") ?? ""})`,
  );
  await sql`insert into "SearchIndex" (rowid, words) values ${sql.join(indexed)}`.execute(db);
}

/** Before what it says now is indexed in place of what it said. */
export async function forgetMessage({ db }: Transaction, messageId: string): Promise<void> {
  await db.deleteFrom("SearchDocument").where("messageId", "=", messageId).execute();
}

/** What the session is called changed: its document is written anew. */
export async function indexSession(
  transaction: Transaction,
  { session, isNew }: { session: Session; isNew: boolean },
): Promise<void> {
  const { title, purpose, agentName } = session;
  const words = searchWords([title, purpose, agentName].filter((text) => text !== null).join(" "));
  if (!isNew) {
    await transaction.db
      .deleteFrom("SearchDocument")
      .where("sessionId", "=", session.id)
      .where("messageId", "is", null)
      .execute();
  }
  if (words.length > 0) {
    await addDocument(transaction, { sessionId: session.id, messageId: null, words });
  }
}

async function addDocument(
  transaction: Transaction,
  document: {
    readonly sessionId: string;
    readonly messageId: string | null;
    readonly words: readonly string[];
  },
): Promise<void> {
  const { sessionId, messageId } = document;
  const words = [...new Set(document.words)];
  const { db, engine } = transaction;
  if (engine === "postgres") {
    await sql`insert into "SearchDocument" ("sessionId", "messageId", "words")
      values (${sessionId}, ${messageId}, array_to_tsvector(${words}::text[]))`.execute(db);
    return;
  }
  const [added] = await runWrittenOut<{ key: number }>(
    transaction,
    `insert into "SearchDocument" ("sessionId", "messageId") values (?, ?) returning "key"`,
    [sessionId, messageId],
  );
  if (added === undefined) throw new Error("unreachable: an insert returned no row");
  await runWrittenOut(transaction, `insert into "SearchIndex" (rowid, words) values (?, ?)`, [
    added.key,
    words.join(" "),
  ]);
}
