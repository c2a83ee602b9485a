import { toRepo } from "../rows/repo-row.ts";
import { sql } from "kysely";
import { fromQueuedMessageRow, fromRunRow, fromSuspensionRow } from "../rows/run-row.ts";
import { ARRIVING, type Arrival } from "../arrival.ts";
import { parseJson } from "../rows/parse.ts";
import { prepared } from "../prepared.ts";
import type {
  IdempotencyKey,
  InactiveQuery,
  Part,
  QueuedMessage,
  Remembered,
  Repo,
  Run,
  SetAside,
  StoredSuspension,
} from "../store.ts";
import { databaseNow } from "../writes/transaction.ts";
import { readable, type Source } from "./source.ts";

export async function readQueue(
  source: Source,
  sessionId: string,
): Promise<readonly QueuedMessage[]> {
  const rows = await queueRowsOf(source, { sessionId });
  return readable(rows, {
    source,
    table: "QueuedMessage",
    idOf: (row) => row.messageId,
    read: fromQueuedMessageRow,
  });
}

export const queueRowsOf = prepared(({ db }, { sessionId }: { sessionId: string }) =>
  db.selectFrom("QueuedMessage").selectAll().where("sessionId", "=", sessionId).orderBy("position"),
);

export async function readRun(source: Source, runId: string): Promise<Run | null> {
  const rows = await runRowOf(source, { runId });
  return (
    readable(rows, { source, table: "Run", idOf: (row) => row.id, read: fromRunRow }).at(0) ?? null
  );
}

const runRowOf = prepared(({ db }, { runId }: { runId: string }) =>
  db.selectFrom("Run").selectAll().where("id", "=", runId),
);

export async function readRuns(
  source: Source,
  { sessionId, part }: { sessionId: string; part: Part | undefined },
): Promise<readonly Run[]> {
  let select = source.db
    .selectFrom("Run")
    .selectAll()
    .where("sessionId", "=", sessionId)
    .orderBy("queuedAt")
    .orderBy("id");
  if (part !== undefined) select = select.limit(part.limit);
  const after = part?.after;
  if (after !== undefined) {
    select = select.where(({ eb, refTuple, tuple }) =>
      eb(refTuple("queuedAt", "id"), ">", tuple(after.at, after.id)),
    );
  }
  const rows = await select.execute();
  return readable(rows, { source, table: "Run", idOf: (row) => row.id, read: fromRunRow });
}

export async function readSuspension(
  source: Source,
  suspensionId: string,
): Promise<StoredSuspension | null> {
  const rows = await suspensionRowOf(source, { suspensionId });
  return (
    readable(rows, {
      source,
      table: "Suspension",
      idOf: (row) => row.id,
      read: fromSuspensionRow,
    }).at(0) ?? null
  );
}

const suspensionRowOf = prepared(({ db }, { suspensionId }: { suspensionId: string }) =>
  db.selectFrom("Suspension").selectAll().where("id", "=", suspensionId),
);

export async function readSuspensions(
  source: Source,
  { sessionId, part }: { sessionId: string; part: Part | undefined },
): Promise<readonly StoredSuspension[]> {
  let select = source.db
    .selectFrom("Suspension")
    .selectAll()
    .where("sessionId", "=", sessionId)
    .orderBy("createdAt")
    .orderBy("id");
  if (part !== undefined) select = select.limit(part.limit);
  const after = part?.after;
  if (after !== undefined) {
    select = select.where(({ eb, refTuple, tuple }) =>
      eb(refTuple("createdAt", "id"), ">", tuple(after.at, after.id)),
    );
  }
  return readable(await select.execute(), {
    source,
    table: "Suspension",
    idOf: (row) => row.id,
    read: fromSuspensionRow,
  });
}

export async function openSuspensions(source: Source): Promise<readonly StoredSuspension[]> {
  const rows = await source.db
    .selectFrom("Suspension")
    .selectAll()
    // Written out, here and below: an index of the few is used only where the database sees that they are meant.
    .where("status", "=", sql.lit("open"))
    .orderBy("createdAt")
    .orderBy("id")
    .execute();
  return readable(rows, {
    source,
    table: "Suspension",
    idOf: (row) => row.id,
    read: fromSuspensionRow,
  });
}

export async function unsettledSessions({ db }: Source): Promise<readonly string[]> {
  const working = db
    .selectFrom("AgentSession")
    .select("id")
    .where("setAside", "=", sql.lit(0))
    .where("state", "<>", sql.lit("idle"));
  const queued = db
    .selectFrom("AgentSession")
    .select("id")
    .where("queued", ">", sql.lit(0))
    .where("setAside", "=", sql.lit(0));
  const owned = db
    .selectFrom("AgentSession")
    .select("id")
    .where("owner", "is not", null)
    .where("setAside", "=", sql.lit(0));
  // Put in order here: asked for it, SQLite would walk through all sessions by their ids.
  const rows = await working.unionAll(queued).unionAll(owned).execute();
  return [...new Set(rows.map(({ id }) => id))].toSorted();
}

export async function inactiveSessions(
  { db }: Source,
  query: InactiveQuery,
): Promise<readonly string[]> {
  if (query.statuses.length === 0) return []; // PostgreSQL has no empty lists
  const { after } = query;
  let select = db
    .selectFrom("AgentSession")
    .select("id")
    .where("setAside", "=", sql.lit(0))
    .where("status", "in", query.statuses)
    // No index on activity, which changes with every word an agent says: what is older is older in both.
    .where("createdAt", "<", query.before)
    .where("lastActiveAt", "<", query.before)
    .orderBy("createdAt")
    .orderBy("id")
    .limit(query.limit);
  if (after !== undefined) {
    select = select.where(({ eb, refTuple, tuple }) =>
      eb(refTuple("createdAt", "id"), ">", tuple(after.createdAt, after.id)),
    );
  }
  return (await select.execute()).map(({ id }) => id);
}

/** By the index of owners: there are few at any time. */
export async function leftImports(source: Source): Promise<readonly Arrival[]> {
  const rows = await source.db
    .selectFrom("AgentSession")
    .select(["id as sessionId", "owner as importId"])
    .where("owner", "is not", null)
    .where("setAside", "=", ARRIVING)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("NodeLease")
            .select("NodeLease.node")
            .whereRef("NodeLease.node", "=", "AgentSession.owner")
            .where("NodeLease.expiresAt", ">", databaseNow(source)),
        ),
      ),
    )
    .orderBy("id")
    .$narrowType<{ importId: string }>()
    .execute();
  return rows;
}

export async function readRepo(source: Source, repoId: string): Promise<Repo | null> {
  const [row] = await repoRowOf(source, { repoId });
  return row === undefined ? null : toRepo(row);
}

const repoRowOf = prepared(({ db }, { repoId }: { repoId: string }) =>
  db.selectFrom("Repo").selectAll().where("id", "=", repoId),
);

export async function listRepos({ db }: Source): Promise<readonly Repo[]> {
  const rows = await db.selectFrom("Repo").selectAll().orderBy("name").orderBy("path").execute();
  return rows.map(toRepo);
}

const answerOf = prepared(({ db }, { scope, key }: { scope: string; key: string }) =>
  db
    .selectFrom("IdempotencyKey")
    .select(["requestHash", "response"])
    .where("scope", "=", scope)
    .where("key", "=", key),
);

export async function recall(
  source: Source,
  { scope, key }: IdempotencyKey,
): Promise<Remembered | null> {
  const [row] = await answerOf(source, { scope, key });
  if (row === undefined) return null;
  return { requestHash: row.requestHash, response: parseJson("response", row.response) };
}

export async function listSetAside({ db }: Source): Promise<readonly SetAside[]> {
  const rows = await db.selectFrom("SetAside").selectAll().orderBy("at").orderBy("rowId").execute();
  return rows.map(({ tableName: table, rowId, reason, row, at }) => ({
    table,
    rowId,
    reason,
    row,
    at,
  }));
}

export async function countSetAside({ db }: Source): Promise<number> {
  const { total } = await db
    .selectFrom("SetAside")
    .select(({ fn }) => fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  return Number(total);
}
