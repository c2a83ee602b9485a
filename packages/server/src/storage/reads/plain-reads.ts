import { sql } from "kysely";
import { fromQueuedMessageRow, fromRunRow, fromSuspensionRow } from "../run-row.ts";
import { parseJson } from "../parse.ts";
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
import { readable, type Source } from "./source.ts";

export async function readQueue(
  source: Source,
  sessionId: string,
): Promise<readonly QueuedMessage[]> {
  const rows = await source.db
    .selectFrom("QueuedMessage")
    .selectAll()
    .where("sessionId", "=", sessionId)
    .orderBy("position")
    .execute();
  return readable(rows, {
    source,
    table: "QueuedMessage",
    idOf: (row) => row.messageId,
    read: fromQueuedMessageRow,
  });
}

export async function readRun(source: Source, runId: string): Promise<Run | null> {
  const rows = await source.db.selectFrom("Run").selectAll().where("id", "=", runId).execute();
  return (
    readable(rows, { source, table: "Run", idOf: (row) => row.id, read: fromRunRow }).at(0) ?? null
  );
}

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
  const rows = await source.db
    .selectFrom("Suspension")
    .selectAll()
    .where("id", "=", suspensionId)
    .execute();
  return (
    readable(rows, {
      source,
      table: "Suspension",
      idOf: (row) => row.id,
      read: fromSuspensionRow,
    }).at(0) ?? null
  );
}

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
    .where("status", "=", "open")
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
    .where("state", "<>", "idle");
  const queued = db
    .selectFrom("AgentSession")
    .select("id")
    .where("queued", ">", 0)
    .where("setAside", "=", sql.lit(0));
  const owned = db
    .selectFrom("AgentSession")
    .select("id")
    .where("owner", "is not", null)
    .where("setAside", "=", sql.lit(0));
  const rows = await working.union(queued).union(owned).orderBy("id").execute();
  return rows.map(({ id }) => id);
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

export async function readRepo({ db }: Source, repoId: string): Promise<Repo | null> {
  return (
    (await db.selectFrom("Repo").selectAll().where("id", "=", repoId).executeTakeFirst()) ?? null
  );
}

export async function listRepos({ db }: Source): Promise<readonly Repo[]> {
  return db.selectFrom("Repo").selectAll().orderBy("name").orderBy("path").execute();
}

export async function recall(
  { db }: Source,
  { scope, key }: IdempotencyKey,
): Promise<Remembered | null> {
  const row = await db
    .selectFrom("IdempotencyKey")
    .select(["requestHash", "response"])
    .where("scope", "=", scope)
    .where("key", "=", key)
    .executeTakeFirst();
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
