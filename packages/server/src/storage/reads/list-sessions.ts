import {
  sql,
  type Compilable,
  type CompiledQuery,
  type ExpressionBuilder,
  type SelectQueryBuilder,
} from "kysely";
import { STATUS_RULES, STATUSES } from "../../domain/status.ts";
import { keepNewest } from "../keep-newest.ts";
import { runCompiled, written } from "../prepared.ts";
import { searchWords } from "../search/search-words.ts";
import type {
  SessionCounts,
  SessionPage,
  SessionQuery,
  SessionRecord,
} from "../ports/session-store.ts";
import type { Tables } from "../tables.ts";
import {
  openSuspensionRows,
  selectSessions,
  toRecord,
  type JoinedSession,
} from "./joined-session.ts";
import { rowOfText, selectTexts, type RowText } from "./row-texts.ts";
import { searchHits } from "./search-hits.ts";
import { readable, type Source } from "./source.ts";

type Select = SelectQueryBuilder<Tables, "AgentSession", object>;

/**
 * Newest first, with the total number of matches and the counts of the badge. An agent's output does not have to update an
 * index: sessions are sorted by creation, which never changes, so that no session moves past the cursor of a reader, or by their
 * last turn.
 */
export async function listSessions(source: Source, query: SessionQuery): Promise<SessionPage> {
  const counts = await countSessions(source);
  const counted = countedAlready(query, counts);
  const rows = counted === 0 ? [] : await pageRows(source, query);
  const page = rows.slice(0, query.limit);
  const last = page.at(-1);
  return {
    sessions: await toRecords(source, page),
    total: counted ?? (await totalOf(source, query)),
    next:
      rows.length > query.limit && last !== undefined
        ? { at: last[timeOf(query)], id: last.id }
        : null,
    counts,
    hits: await searchHits(source, page, query.search ?? ""),
  };
}

/** Reads one row more than the page needs, to know whether another page follows. */
async function pageRows(source: Source, query: SessionQuery): Promise<readonly JoinedSession[]> {
  const { dialect } = source;
  const key = JSON.stringify([dialect.engine, query]);
  if (dialect.readsRowsAsText) {
    const texts = compiledTexts(key, () => buildPage(source, query, selectTexts));
    if (texts === null) return [];
    const read = await runCompiled(source, texts).catch(() => null);
    // Fails if a row holds a value that JSON cannot represent.
    if (read !== null) return read.map(rowOfText);
  }
  const rows = compiledRows(key, () => buildPage(source, query, selectSessions));
  return rows === null ? [] : runCompiled(source, rows);
}

/** Compiled queries of frequent lists, such as the first page. */
const CACHED_PAGES = 50;
const compiledTexts = cacheCompiled<RowText>();
const compiledRows = cacheCompiled<JoinedSession>();

function cacheCompiled<Row>() {
  const cache = keepNewest<string, CompiledQuery<Row>>(CACHED_PAGES);
  return (key: string, build: () => Compilable<Row> | null): CompiledQuery<Row> | null => {
    const cached = cache.get(key);
    if (cached !== undefined) return cached;
    const query = build()?.compile() ?? null;
    if (query !== null) cache.set(key, query);
    return query;
  };
}

/** Limits are literals: with parameters, SQLite takes twice as long. */
function buildPage<Row>(
  source: Source,
  query: SessionQuery,
  select: (source: Source) => SelectQueryBuilder<Tables, "AgentSession" | "Repo", Row>,
): Compilable<Row> | null {
  const time = timeOf(query);
  const offset = query.offset ?? 0;
  const needed = offset + query.limit + 1;
  const [first, ...others] = branchesOf(query).map((branch) => {
    const newest = filtered(source, branch)
      .select(["AgentSession.id", `AgentSession.${time} as at`])
      .orderBy(`AgentSession.${time}`, "desc")
      .orderBy("AgentSession.id", "desc")
      .limit(sql.lit(needed));
    return source.db.selectFrom(newest.as("newest")).selectAll();
  });
  if (first === undefined) return null;
  const page = others
    .reduce((all, branch) => all.unionAll(branch), first)
    .orderBy("at", "desc")
    .orderBy("id", "desc")
    .limit(sql.lit(query.limit + 1))
    .offset(sql.lit(offset));
  return select(source)
    .innerJoin(page.as("page"), "page.id", "AgentSession.id")
    .orderBy("page.at", "desc")
    .orderBy("page.id", "desc");
}

function timeOf({ order }: SessionQuery): "createdAt" | "lastTurnAt" {
  return order === "turn" ? "lastTurnAt" : "createdAt";
}

/**
 * One branch per status, also for all sessions of a repository or by their last turn, whose index starts with the status. Each branch walks an index in
 * order, so a rare status costs no more than a common one. One statement, so that a session whose status changes is in
 * exactly one branch.
 */
function branchesOf(query: SessionQuery): readonly SessionQuery[] {
  const { repoId, order } = query;
  const isSplit = repoId !== undefined || order === "turn";
  const { statuses = isSplit ? STATUSES : undefined } = query;
  if (statuses === undefined) return [query];
  return [...new Set(statuses)].map((status) => ({ ...query, statuses: [status] }));
}

function filtered(source: Source, query: SessionQuery): Select {
  let select: Select = source.db
    .selectFrom("AgentSession")
    .where("AgentSession.setAside", "=", sql.lit(0));
  const { repoId, statuses, states, outcomes, phase, agentName, providers } = query;
  const { search, from, to, after } = query;
  if (repoId !== undefined) select = select.where("repoId", "=", repoId);
  if (statuses !== undefined)
    select = select.where((eb) => isAny(eb, "AgentSession.status", statuses));
  // The partial indexes omit common values. The literal condition lets the database use them.
  if (states !== undefined) select = select.where((eb) => isAny(eb, "AgentSession.state", states));
  if (states !== undefined && !states.includes("idle"))
    select = select.where(sql<boolean>`"AgentSession"."state" <> 'idle'`);
  if (outcomes !== undefined)
    select = select.where((eb) => isAny(eb, "AgentSession.lastOutcome", outcomes));
  if (outcomes !== undefined && !outcomes.includes("completed"))
    select = select.where(sql<boolean>`"AgentSession"."lastOutcome" <> 'completed'`);
  if (phase !== undefined) select = select.where("phase", "=", phase);
  if (phase !== undefined && phase !== "initializing")
    select = select.where(sql<boolean>`"phase" <> 'initializing'`);
  if (agentName !== undefined) select = select.where("agentName", "=", agentName);
  if (providers !== undefined) select = select.where((eb) => nextProviderIn(eb, providers));
  // The session's life, from creation to last activity, overlaps the range.
  if (from !== undefined) select = select.where("AgentSession.lastActiveAt", ">=", from);
  if (to !== undefined) select = select.where("AgentSession.createdAt", "<", to);
  if (search !== undefined) select = select.where((eb) => matches(source, eb, searchWords(search)));
  if (after !== undefined) {
    const { at, id } = after;
    select = select.where(({ eb, refTuple, tuple }) =>
      eb(refTuple(`AgentSession.${timeOf(query)}`, "AgentSession.id"), "<", tuple(at, id)),
    );
  }
  return select;
}

/** PostgreSQL has no empty lists. */
function isAny(
  eb: ExpressionBuilder<Tables, "AgentSession">,
  column: "AgentSession.status" | "AgentSession.state" | "AgentSession.lastOutcome",
  values: readonly string[],
) {
  return values.length === 0 ? eb.lit(false) : eb(column, "in", values);
}

/** Sessions with a document that contains all prefixes. */
function matches(
  source: Source,
  eb: ExpressionBuilder<Tables, "AgentSession">,
  words: readonly string[],
) {
  if (words.length === 0) return eb.lit(false);
  return eb(
    "AgentSession.id",
    "in",
    sql<string>`(select "sessionId" from "SearchDocument" where ${source.dialect.matches(words)})`,
  );
}

/** The provider of a message that chooses none: see `nextAgent`. */
function nextProviderIn(
  eb: ExpressionBuilder<Tables, "AgentSession">,
  providers: readonly (string | null)[],
) {
  const next = eb.fn.coalesce("provider", "lastProvider");
  return eb.or(
    providers.map((name) => (name === null ? eb(next, "is", null) : eb(next, "=", name))),
  );
}

/** A filter by status alone is answered by the counts. */
function countedAlready(query: SessionQuery, counts: SessionCounts): number | null {
  const { statuses = STATUSES, limit: _, offset: __, after: ___, order: ____, ...filters } = query;
  if (Object.values(filters).some((filter) => filter !== undefined)) return null;
  return [...new Set(statuses)].reduce((sum, status) => sum + counts[status], 0);
}

async function totalOf(source: Source, query: SessionQuery): Promise<number> {
  const { after: _, limit: __, offset: ___, order: ____, ...unpaged } = query;
  const { repoId, statuses, ...others } = unpaged;
  if (Object.values(others).every((filter) => filter === undefined))
    return tallied(source, { repoId, statuses });
  const { total } = await filtered(source, { ...unpaged, limit: 0 })
    .select(({ fn }) => fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  return Number(total);
}

async function tallied(
  { db }: Source,
  { repoId, statuses }: { repoId: string | undefined; statuses: SessionQuery["statuses"] },
): Promise<number> {
  if (statuses?.length === 0) return 0; // PostgreSQL has no empty lists
  let select = db
    .selectFrom("SessionTally")
    .select(({ fn }) => fn.sum<number | null>("count").as("total"));
  if (repoId !== undefined) select = select.where("repoId", "=", repoId);
  if (statuses !== undefined) select = select.where("status", "in", statuses);
  const { total } = await select.executeTakeFirstOrThrow();
  return Number(total ?? 0);
}

export async function countSessions(source: Source): Promise<SessionCounts> {
  const rows = await countsByStatus(source, {});
  const byStatus = new Map(rows.map(({ status, total }) => [status, Number(total)]));
  const badge = STATUSES.filter((status) => STATUS_RULES[status].counted);
  return {
    active: byStatus.get("active") ?? 0,
    suspended: byStatus.get("suspended") ?? 0,
    archived: byStatus.get("archived") ?? 0,
    error: byStatus.get("error") ?? 0,
    badge: badge.reduce((sum, status) => sum + (byStatus.get(status) ?? 0), 0),
  };
}

const countsByStatus = written<Record<never, never>, { status: string; total: number }>(
  `select "status", sum("count") as "total" from "SessionTally" group by "status"`,
  [],
);

async function toRecords(
  source: Source,
  rows: readonly JoinedSession[],
): Promise<readonly SessionRecord[]> {
  const open = await openSuspensionRows(source, rows);
  return readable(source, "AgentSession", rows, (row) => toRecord(source, row, open));
}
