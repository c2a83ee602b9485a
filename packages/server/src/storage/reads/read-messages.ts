import type { Message } from "../../domain/message.ts";
import { fromMessageRow, grown } from "../message-row.ts";
import type { MessageQuery } from "../store.ts";
import { readable, type Source } from "./source.ts";

/** In order. A message that is still growing has the text that has arrived so far. */
export async function readMessages(source: Source, query: MessageQuery): Promise<readonly Message[]> {
  const { sessionId, after, since, limit } = query;
  let select = source.db
    .selectFrom("AgentMessage")
    .selectAll()
    .where("sessionId", "=", sessionId)
    .orderBy("seq");
  if (after !== undefined) select = select.where("seq", ">", after);
  if (since !== undefined) select = select.where("timestamp", ">", since);
  if (limit !== undefined) select = select.limit(limit);
  const messages = readable(await select.execute(), {
    source,
    table: "AgentMessage",
    idOf: (row) => row.id,
    read: fromMessageRow,
  });
  return Promise.all(
    messages.map(async (message) =>
      message.complete ? message : { ...message, content: grown(message.content, await piecesOf(source, message)) },
    ),
  );
}

async function piecesOf({ db }: Source, message: Message): Promise<readonly string[]> {
  const rows = await db
    .selectFrom("SessionEvent")
    .select("data")
    .where("sessionId", "=", message.sessionId)
    .where("seq", ">=", message.seq)
    .where("messageId", "=", message.id)
    .where("kind", "=", "delta")
    .orderBy("seq")
    .execute();
  return rows.map(({ data }) => data ?? "");
}
