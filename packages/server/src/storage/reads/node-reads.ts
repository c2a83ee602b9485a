import { sql } from "kysely";
import { parseObject } from "../rows/parse.ts";
import type { NodeRecord, Owner } from "../ports/node-store.ts";
import type { Queryable } from "../dialect.ts";
import { prepared, runStatement } from "../prepared.ts";
import type { NodeLeaseRow } from "../tables.ts";
import { hasLiveOwner } from "./live-owner.ts";
import { readable, type Source } from "./source.ts";

export async function listNodes(source: Source): Promise<readonly NodeRecord[]> {
  const rows = await runStatement<NodeLeaseRow & { readonly now: number }>(
    source,
    `select "node", "about", "startedAt", "draining", "expiresAt", ${source.dialect.clock} as "now"
      from "NodeLease" where "about" is not null order by "startedAt", "node"`,
    [],
  );
  return readable(source, "NodeLease", rows, (row) => ({
    node: row.node,
    about: parseObject("about", row.about ?? ""),
    startedAt: row.startedAt,
    draining: row.draining !== 0,
    alive: row.expiresAt > row.now,
  }));
}

/** Each part uses an index of its own: owned sessions, running ones, queues, suspended ones and open suspensions. */
export async function abandonedSessions(
  source: Source,
  { limit }: { readonly limit: number },
): Promise<readonly string[]> {
  // Interrupted work precedes work that only waits for a slot, of which there can be much.
  const interrupted = await sessionsOfDeadNodes(source, { limit });
  if (interrupted.length === limit) return interrupted.map(({ id }) => id);
  const waiting = await waitingSessions(source, { limit: limit - interrupted.length });
  return [...interrupted, ...waiting].map(({ id }) => id);
}

const sessionsOfDeadNodes = prepared((at, { limit }: { limit: number }) =>
  sessionIds(at)
    .where("owner", "is not", null)
    .where(({ not }) => not(hasLiveOwner(at.dialect)))
    .orderBy("id")
    .limit(limit),
);

const waitingSessions = prepared((at, { limit }: { limit: number }) => {
  const unowned = sessionIds(at)
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
      .where("expiresAt", "<=", at.dialect.now),
  );
  // Its node stopped and believed to be the last one. This one runs, so the session need not be suspended.
  const left = unowned
    .where("status", "=", sql.lit("suspended"))
    .where("suspendedReason", "is", null);
  return running.union(queued).union(due).union(left).orderBy("id").limit(limit);
});

function sessionIds({ db }: Queryable) {
  return db.selectFrom("AgentSession").select("id").where("setAside", "=", sql.lit(0));
}

export async function lastSeqs(
  { db }: Source,
  sessionIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const seqs = new Map<string, number>();
  for (let from = 0; from < sessionIds.length; from += IDS_PER_QUERY) {
    const rows = await db
      .selectFrom("AgentSession")
      .select(["id", "lastSeq"])
      .where("id", "in", sessionIds.slice(from, from + IDS_PER_QUERY))
      .where("setAside", "=", sql.lit(0))
      .execute();
    for (const { id, lastSeq } of rows) seqs.set(id, lastSeq);
  }
  return seqs;
}

/** Databases limit the number of parameters in a statement. */
const IDS_PER_QUERY = 500;

/** `alive` by the database's clock, as for `claim`. */
export async function readOwner(source: Source, sessionId: string): Promise<Owner | null> {
  const [row] = await ownerRowOf(source, { sessionId });
  if (row === undefined || row.owner === null) return null;
  return { node: row.owner, alive: row.expiresAt !== null && row.expiresAt > row.now };
}

const ownerRowOf = prepared((at, { sessionId }: { sessionId: string }) =>
  at.db
    .selectFrom("AgentSession")
    .leftJoin("NodeLease", "NodeLease.node", "AgentSession.owner")
    .select(["AgentSession.owner", "NodeLease.expiresAt"])
    .select(at.dialect.now.as("now"))
    .where("AgentSession.id", "=", sessionId),
);
