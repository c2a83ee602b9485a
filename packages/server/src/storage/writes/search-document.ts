import { sql } from "kysely";
import type { MessageContent } from "../../domain/message.ts";
import type { Session } from "../../domain/session.ts";
import { searchableText, searchWords } from "../search-words.ts";
import type { Transaction } from "./transaction.ts";

export async function indexMessage(
  transaction: Transaction,
  message: { readonly id: string; readonly sessionId: string; readonly content: MessageContent },
): Promise<void> {
  const words = searchWords(searchableText(message.content));
  if (words.length > 0)
    await addDocument(transaction, { ...message, messageId: message.id, words });
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
  { db, engine }: Transaction,
  document: {
    readonly sessionId: string;
    readonly messageId: string | null;
    readonly words: readonly string[];
  },
): Promise<void> {
  const { sessionId, messageId } = document;
  const words = [...new Set(document.words)];
  if (engine === "postgres") {
    await sql`insert into "SearchDocument" ("sessionId", "messageId", "words")
      values (${sessionId}, ${messageId}, array_to_tsvector(${words}::text[]))`.execute(db);
    return;
  }
  const { rows } = await sql<{
    key: number;
  }>`insert into "SearchDocument" ("sessionId", "messageId")
    values (${sessionId}, ${messageId}) returning "key"`.execute(db);
  const [added] = rows;
  if (added === undefined) throw new Error("unreachable: an insert returned no row");
  await sql`insert into "SearchIndex" (rowid, words) values (${added.key}, ${words.join(" ")})`.execute(
    db,
  );
}
