import { sql, type ExpressionBuilder } from "kysely";
import { grownContent, type Message } from "../../domain/message.ts";
import { fromMessageRow } from "../rows/message-row.ts";
import { prepared } from "../prepared.ts";
import type {
  MessageQuery,
  NewestMessages,
  NewestOfRunQuery,
  NewestQuery,
} from "../ports/transcript-store.ts";
import type { MessageRow, Tables } from "../tables.ts";
import { readable, type Source } from "./source.ts";

/**
 * In order. An incomplete message has its text so far. One statement, because the deltas leave the log when the message
 * is completed.
 */
export async function readMessages(
  source: Source,
  query: MessageQuery,
): Promise<readonly Message[]> {
  const { sessionId, after = -1, since, limit = Number.MAX_SAFE_INTEGER } = query;
  if (since === undefined)
    return toMessages(source, await pageAfter(source, { sessionId, after, limit }));
  const select = selectMessages(source, sessionId)
    .where("seq", ">", after)
    .where((eb) => enteredAfter(eb, since));
  return toMessages(source, await select.orderBy("seq").limit(limit).execute());
}

export async function readNewest(
  source: Source,
  { sessionId, before, limit }: NewestQuery,
): Promise<NewestMessages> {
  const newest = selectMessages(source, sessionId).orderBy("seq", "desc").limit(limit);
  const rows = await (before === undefined ? newest : newest.where("seq", "<", before)).execute();
  const start = rows.at(-1)?.seq ?? 0;
  const open =
    before === undefined ? await firstOpen(source, { sessionId }).then((found) => found[0]) : null;
  if (open !== undefined && open !== null && open.seq < start) {
    const others = selectMessages(source, sessionId).orderBy("seq", "desc");
    rows.push(...(await others.where("seq", ">=", open.seq).where("seq", "<", start).execute()));
  }
  const earlier = await countMessages(source, { sessionId, before: rows.at(-1)?.seq ?? 0 });
  return { messages: toMessages(source, rows.toReversed()), earlier };
}

export async function countMessages(
  source: Source,
  query: { readonly sessionId: string; readonly before: number },
): Promise<number> {
  const [counted] = await countBefore(source, query);
  return Number(counted?.count);
}

const countBefore = prepared(
  ({ db }, { sessionId, before }: { sessionId: string; before: number }) =>
    db
      .selectFrom("AgentMessage")
      .select(({ fn }) => fn.countAll<number>().as("count"))
      .where("sessionId", "=", sessionId)
      .where("seq", "<", before),
);

export async function readNewestOfRun(
  source: Source,
  { sessionId, runId, before, limit }: NewestOfRunQuery,
): Promise<readonly Message[]> {
  const newest = selectMessages(source, sessionId)
    .where("runId", "=", runId)
    .orderBy("seq", "desc")
    .limit(limit);
  const rows = await (before === undefined ? newest : newest.where("seq", "<", before)).execute();
  return toMessages(source, rows.toReversed());
}

export const firstOpen = prepared((source, { sessionId }: { sessionId: string }) =>
  source.db
    .selectFrom("AgentMessage")
    .select("seq")
    .where("sessionId", "=", sessionId)
    .where("complete", "=", sql.lit(0))
    .orderBy("seq")
    .limit(1),
);

export async function readMessage(
  source: Source,
  sessionId: string,
  messageId: string,
): Promise<Message | null> {
  const rows = await messageRowOf(source, { sessionId, messageId });
  return toMessages(source, rows).at(0) ?? null;
}

const pageAfter = prepared(
  (source, { sessionId, after, limit }: { sessionId: string; after: number; limit: number }) =>
    selectMessages(source, sessionId).orderBy("seq").where("seq", ">", after).limit(limit),
);

const messageRowOf = prepared(
  (source, { sessionId, messageId }: { sessionId: string; messageId: string }) =>
    selectMessages(source, sessionId).where("id", "=", messageId),
);

function selectMessages({ db }: Pick<Source, "db">, sessionId: string) {
  return db
    .selectFrom("AgentMessage")
    .selectAll()
    .select((eb) => eb.case().when("complete", "=", 0).then(deltasOf(eb)).end().as("deltas"))
    .where("sessionId", "=", sessionId);
}

/** A queued message has the time it was queued. It enters the history when its run starts, or ends without a start. */
function enteredAfter(eb: ExpressionBuilder<Tables, "AgentMessage">, since: number) {
  const delivery = eb
    .selectFrom("Run")
    .select("Run.id")
    .whereRef("Run.id", "=", "AgentMessage.runId")
    .whereRef("Run.messageId", "=", "AgentMessage.id")
    .where((run) => run(run.fn.coalesce("Run.startedAt", "Run.endedAt"), ">", since));
  return eb.or([eb("timestamp", ">", since), eb.exists(delivery)]);
}

type JoinedMessage = MessageRow & { readonly deltas: string | null };

function toMessages(source: Source, rows: readonly JoinedMessage[]): readonly Message[] {
  return readable(source, "AgentMessage", rows, (row) => {
    const message = fromMessageRow(row);
    return row.deltas === null
      ? message
      : { ...message, content: grownContent(message.content, row.deltas) };
  });
}

function deltasOf(eb: ExpressionBuilder<Tables, "AgentMessage">) {
  return eb
    .selectFrom("SessionEvent")
    .select(
      sql<string | null>`string_agg("SessionEvent"."data", '' order by "SessionEvent"."seq")`.as(
        "text",
      ),
    )
    .whereRef("SessionEvent.sessionId", "=", "AgentMessage.sessionId")
    .whereRef("SessionEvent.seq", ">=", "AgentMessage.seq")
    .whereRef("SessionEvent.messageId", "=", "AgentMessage.id")
    .where("SessionEvent.kind", "=", "delta");
}
