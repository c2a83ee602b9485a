import type { MessageContent } from "../../domain/message.ts";
import type { Session } from "../../domain/session.ts";
import { searchableText, searchWords } from "../search/search-words.ts";
import { preparedWrite } from "../prepared.ts";
import type { Transaction } from "./transaction.ts";

export async function indexMessages(
  transaction: Transaction,
  sessionId: string,
  messages: readonly { readonly id: string; readonly content: MessageContent }[],
): Promise<void> {
  const documents = messages
    .map(({ id, content }) => ({
      sessionId,
      messageId: id,
      words: distinctWords(searchableText(content)),
    }))
    .filter(({ words }) => words.length > 0);
  if (documents.length > 0) await transaction.dialect.addDocuments(transaction, documents);
}

/** Must precede indexing the new content of a message. */
export function forgetMessage(transaction: Transaction, messageId: string): Promise<void> {
  return forgetDocument(transaction, { messageId });
}

const forgetDocument = preparedWrite(({ db }, { messageId }: { messageId: string }) =>
  db.deleteFrom("SearchDocument").where("messageId", "=", messageId),
);

/** Replaces the document with the session's title, purpose and agent name. */
export async function indexSession(
  transaction: Transaction,
  session: Session,
  isNew: boolean,
): Promise<void> {
  const { id: sessionId, title, purpose, agentName } = session;
  if (!isNew) {
    await transaction.db
      .deleteFrom("SearchDocument")
      .where("sessionId", "=", sessionId)
      .where("messageId", "is", null)
      .execute();
  }
  const names = [title, purpose, agentName].filter((text) => text !== null);
  const words = distinctWords(names.join(" "));
  if (words.length > 0)
    await transaction.dialect.addDocuments(transaction, [{ sessionId, messageId: null, words }]);
}

function distinctWords(text: string): readonly string[] {
  return [...new Set(searchWords(text))];
}
