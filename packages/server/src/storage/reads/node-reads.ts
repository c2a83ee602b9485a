import { sql } from "kysely";
import { parseObject } from "../rows/parse.ts";
import type { NodeRecord } from "../store.ts";
import { databaseNow } from "../writes/transaction.ts";
import { readable, type Source } from "./source.ts";

export async function listNodes(source: Source): Promise<readonly NodeRecord[]> {
  const rows = await source.db
    .selectFrom("NodeLease")
    .select(["node", "about", "startedAt", "draining", "expiresAt"])
    .select(databaseNow(source).as("now"))
    .where("about", "is not", null)
    .orderBy("startedAt")
    .orderBy("node")
    .execute();
  return readable(rows, {
    source,
    table: "NodeLease",
    idOf: ({ node }) => node,
    read: ({ node, about, startedAt, draining, expiresAt, now }) => ({
      node,
      about: parseObject("about", about ?? ""),
      startedAt,
      draining: draining !== 0,
      alive: expiresAt > now,
    }),
  });
}

/** Each part has an index of its own: the owned, those at work, those with a queue, and what is open. */
export async function abandonedSessions(
  source: Source,
  { limit }: { readonly limit: number },
): Promise<readonly string[]> {
  const { db } = source;
  const now = databaseNow(source);
  const sessions = db.selectFrom("AgentSession").select("id").where("setAside", "=", sql.lit(0));
  const ofTheDead = sessions
    .where("owner", "is not", null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("NodeLease")
            .select("NodeLease.node")
            .whereRef("NodeLease.node", "=", "AgentSession.owner")
            .where("NodeLease.expiresAt", ">", now),
        ),
      ),
    );
  const unowned = sessions
    .where("owner", "is", null)
    .where("status", "in", [sql.lit("active"), sql.lit("suspended")]);
  const running = unowned.where("state", "=", sql.lit("running"));
  const queued = unowned
    .where("queued", ">", 0)
    .where("state", "=", sql.lit("idle"))
    .where("delivery", "=", sql.lit("open"));
  const due = unowned.where("id", "in", (eb) =>
    eb
      .selectFrom("Suspension")
      .select("sessionId")
      .where("status", "=", sql.lit("open"))
      .where("expiresAt", "<=", now),
  );
  // What somebody had begun comes before what merely waits for a place, of which there can be much.
  const cut = await ofTheDead.orderBy("id").limit(limit).execute();
  if (cut.length === limit) return cut.map(({ id }) => id);
  const waiting = await running
    .union(queued)
    .union(due)
    .orderBy("id")
    .limit(limit - cut.length)
    .execute();
  return [...cut, ...waiting].map(({ id }) => id);
}

export async function lastSeqs(
  { db }: Source,
  sessionIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  for (let from = 0; from < sessionIds.length; from += AT_ONCE) {
    const rows = await db
      .selectFrom("AgentSession")
      .select(["id", "lastSeq"])
      .where("id", "in", sessionIds.slice(from, from + AT_ONCE))
      .where("setAside", "=", sql.lit(0))
      .execute();
    for (const { id, lastSeq } of rows) found.set(id, lastSeq);
  }
  return found;
}

/** Databases limit how many parameters a statement may have. */
const AT_ONCE = 500;
