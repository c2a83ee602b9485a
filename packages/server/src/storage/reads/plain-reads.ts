import { toRepo } from "../rows/repo-row.ts";
import { sql } from "kysely";
import { fromQueuedMessageRow, fromRunRow, fromSuspensionRow } from "../rows/run-row.ts";
import { type Staging } from "../ports/import-store.ts";
import {
  STAGED,
  type QueuedMessageRow,
  type RepoRow,
  type RunRow,
  type SessionRow,
  type SuspensionRow,
} from "../tables.ts";
import { oneOf, parseJson, parseJsonOrNull } from "../rows/parse.ts";
import { prepared, runCompiled, runStatement, written } from "../prepared.ts";
import type {
  TimePage,
  QueuedMessage,
  Run,
  RunsPage,
  StoredSuspension,
} from "../ports/run-store.ts";
import type { InactiveQuery } from "../ports/retention-store.ts";
import type { Repo } from "../ports/repository-store.ts";
import type { QuarantinedRow } from "../ports/quarantine-store.ts";
import type { IdempotencyKey, RememberedAnswer } from "../ports/answer-store.ts";
import { parseWorkspace } from "../../domain/files/session-folder.ts";
import type { SessionAtWork } from "../ports/session-store.ts";
import { SCOPES } from "../../domain/scope.ts";
import type { ProviderOffer } from "../ports/offer-store.ts";
import { parseOffer } from "../../domain/settings/agent-offer.ts";
import type { Browser } from "../ports/browser-store.ts";
import type { AccessToken } from "../ports/token-store.ts";
import { liveOwner } from "./live-owner.ts";
import { isAfter, readable, type Source } from "./source.ts";

export async function readQueue(
  source: Source,
  sessionId: string,
): Promise<readonly QueuedMessage[]> {
  const rows = await queueRowsOf(source, { sessionId });
  return readable(source, "QueuedMessage", rows, fromQueuedMessageRow);
}

export const queueRowsOf = written<{ sessionId: string }, QueuedMessageRow>(
  `select * from "QueuedMessage" where "sessionId" = ? order by "position"`,
  ["sessionId"],
);

export async function readRun(source: Source, runId: string): Promise<Run | null> {
  const rows = await runRowOf(source, { runId });
  return toRuns(source, rows).at(0) ?? null;
}

/** Those of the runs that can be read, in no order. */
export async function findRuns(source: Source, runIds: readonly string[]): Promise<readonly Run[]> {
  const [runId] = runIds;
  if (runId === undefined) return [];
  if (runIds.length === 1) return toRuns(source, await runRowOf(source, { runId }));
  const list = source.dialect.list(runIds);
  const query = sql<RunRow>`select * from "Run" where "id" in (${list})`.compile(source.db);
  return toRuns(source, await runCompiled(source, query));
}

const runRowOf = prepared(({ db }, { runId }: { runId: string }) =>
  db.selectFrom("Run").selectAll().where("id", "=", runId),
);

export async function readRuns(
  source: Source,
  sessionId: string,
  page?: RunsPage,
): Promise<readonly Run[]> {
  if (page?.statuses?.length === 0) return []; // PostgreSQL has no empty lists
  return toRuns(source, await rowsOf<RunRow>(source, "Run", "queuedAt", sessionId, page));
}

export async function rewoundRuns(source: Source, sessionId: string): Promise<ReadonlySet<string>> {
  const rows = await rewoundRunsOf(source, { sessionId });
  return new Set(rows.map(({ id }) => id));
}

const rewoundRunsOf = prepared(({ db }, { sessionId }: { sessionId: string }) =>
  db
    .selectFrom("Run")
    .select("id")
    .where("sessionId", "=", sessionId)
    .where("rewoundAt", "is not", null),
);

/** The rows of a session in a table, or one page of them, sorted by a time. */
async function rowsOf<Row>(
  { db }: Source,
  table: "Run" | "Suspension",
  time: "queuedAt" | "createdAt",
  sessionId: string,
  page?: RunsPage,
): Promise<readonly Row[]> {
  const { after, statuses } = page ?? {};
  const isListed = statuses === undefined ? sql`` : sql`and "status" in (${sql.join(statuses)})`;
  const isOnPage =
    after === undefined ? sql`` : sql`and ${isAfter([time, "id"], [after.at, after.id])}`;
  const limit = page === undefined ? sql`` : sql`limit ${page.limit}`;
  const { rows } = await sql<Row>`select * from ${sql.table(table)}
    where "sessionId" = ${sessionId} ${isListed} ${isOnPage}
    order by ${sql.ref(time)}, "id" ${limit}`.execute(db);
  return rows;
}

export async function readSuspension(
  source: Source,
  suspensionId: string,
): Promise<StoredSuspension | null> {
  const rows = await suspensionRowOf(source, { suspensionId });
  return toSuspensions(source, rows).at(0) ?? null;
}

const suspensionRowOf = prepared(({ db }, { suspensionId }: { suspensionId: string }) =>
  db.selectFrom("Suspension").selectAll().where("id", "=", suspensionId),
);

export async function readSuspensions(
  source: Source,
  sessionId: string,
  page?: TimePage,
): Promise<readonly StoredSuspension[]> {
  const rows = await rowsOf<SuspensionRow>(source, "Suspension", "createdAt", sessionId, page);
  return toSuspensions(source, rows);
}

export async function openSuspensions(source: Source): Promise<readonly StoredSuspension[]> {
  return toSuspensions(source, await openRows(source, {}));
}

// Literals, here and below: only then does the database use a partial index.
const openRows = written<Record<never, never>, SuspensionRow>(
  `select * from "Suspension" where "status" = 'open' order by "createdAt", "id"`,
  [],
);

export async function unsettledSessions(source: Source): Promise<readonly string[]> {
  // Sorted here: with an order, SQLite would scan all sessions by ID.
  const rows = await runStatement<{ readonly id: string }>(source, UNSETTLED, []);
  return [...new Set(rows.map(({ id }) => id))].toSorted();
}

/** The plus hides a condition from SQLite, which would scan another partial index, of all sessions. */
const UNSETTLED = `select "id" from "AgentSession" where "setAside" = 0 and "state" <> 'idle'
  union all select "id" from "AgentSession" where +"setAside" = 0 and "queued" > 0
  union all select "id" from "AgentSession" where "setAside" = 0 and "owner" is not null`;

export async function sessionsAtWork(
  source: Source,
  query: { readonly repoId: string; readonly limit: number },
): Promise<readonly SessionAtWork[]> {
  const rows = await rowsAtWork(source, query);
  return readable(source, "AgentSession", rows, ({ id, title, workspace }) => ({
    id,
    title,
    kind: parseWorkspace(parseJsonOrNull("workspace", workspace))?.kind ?? "shared",
  }));
}

/** The added text hides a condition from SQLite, which would scan the index of all sessions of the repository. */
const rowsAtWork = written<
  { repoId: string; limit: number },
  Pick<SessionRow, "id" | "title" | "workspace">
>(
  `select "id", "title", "workspace" from "AgentSession"
    where "state" = 'running' and "state" <> 'idle' and "setAside" = 0 and "repoId" || '' = ?
    order by "createdAt" desc, "id" desc limit ?`,
  ["repoId", "limit"],
);

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
    // Activity changes too often for an index. A session older than `before` was also created before it.
    .where("createdAt", "<", query.before)
    .where("lastActiveAt", "<", query.before)
    .orderBy("createdAt")
    .orderBy("id")
    .limit(query.limit);
  if (after !== undefined)
    select = select.where(isAfter(["createdAt", "id"], [after.at, after.id]));
  return (await select.execute()).map(({ id }) => id);
}

/** Uses the index of owned sessions, of which there are few. */
export function abandonedImports(source: Source): Promise<readonly Staging[]> {
  return runStatement<Staging>(
    source,
    `select "id" as "sessionId", "owner" as "importId" from "AgentSession"
      where "owner" is not null and "setAside" = ${STAGED} and not ${liveOwner(source.dialect)} order by "id"`,
    [],
  );
}

export async function readRepo(source: Source, repoId: string): Promise<Repo | null> {
  const [row] = await repoRowOf(source, { repoId });
  return row === undefined ? null : toRepo(row);
}

const repoRowOf = written<{ repoId: string }, RepoRow>(`select * from "Repo" where "id" = ?`, [
  "repoId",
]);

export async function listRepos(source: Source): Promise<readonly Repo[]> {
  const rows = await runStatement<RepoRow>(
    source,
    `select * from "Repo" order by "name", "path"`,
    [],
  );
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
): Promise<RememberedAnswer | null> {
  const [row] = await answerOf(source, { scope, key });
  if (row === undefined) return null;
  return { requestHash: row.requestHash, response: parseJson("response", row.response) };
}

export async function listQuarantined({ db }: Source): Promise<readonly QuarantinedRow[]> {
  const rows = await db.selectFrom("SetAside").selectAll().orderBy("at").orderBy("rowId").execute();
  return rows.map(({ tableName: table, ...row }) => ({ table, ...row }));
}

export async function countQuarantined(source: Source): Promise<number> {
  const text = `select count(*) as "total" from "SetAside"`;
  const [row] = await runStatement<{ readonly total: number }>(source, text, []);
  return Number(row?.total ?? 0);
}

export async function listTokens(source: Source): Promise<readonly AccessToken[]> {
  const rows = await source.db
    .selectFrom("AccessToken")
    .selectAll()
    .orderBy("createdAt")
    .orderBy("id")
    .execute();
  return readable(source, "AccessToken", rows, ({ scope, ...row }) => ({
    ...row,
    scope: oneOf(SCOPES, "scope", scope),
  }));
}

export async function listOffers(source: Source): Promise<readonly ProviderOffer[]> {
  const rows = await source.db
    .selectFrom("ProviderOffer")
    .selectAll()
    .orderBy("provider")
    .execute();
  return readable(source, "ProviderOffer", rows, ({ provider, offer, at }) => ({
    provider,
    offer: parseOffer(parseJson("offer", offer)),
    at,
  }));
}

export async function listBrowsers(source: Source): Promise<readonly Browser[]> {
  const rows = await source.db
    .selectFrom("Browser")
    .selectAll()
    .orderBy("createdAt")
    .orderBy("id")
    .execute();
  return readable(source, "Browser", rows, ({ scope, ...row }) => ({
    ...row,
    scope: oneOf(SCOPES, "scope", scope),
  }));
}

export function toRuns(source: Source, rows: readonly RunRow[]): readonly Run[] {
  return readable(source, "Run", rows, fromRunRow);
}

function toSuspensions(
  source: Source,
  rows: readonly SuspensionRow[],
): readonly StoredSuspension[] {
  return readable(source, "Suspension", rows, fromSuspensionRow);
}
