import {
  sql,
  type Compilable,
  type CompiledQuery,
  type ExpressionBuilder,
  type SelectQueryBuilder,
} from "kysely";
import { STATUS_RULES, STATUSES } from "../../domain/status.ts";
import { keepNewest } from "../keep-newest.ts";
import { prepared } from "../prepared.ts";
import { searchWords } from "../search/search-words.ts";
import type { SessionCounts, SessionPage, SessionQuery, SessionRecord } from "../store.ts";
import type { Tables } from "../tables.ts";
import {
  openSuspensionRows,
  rawRow,
  selectSessions,
  toRecord,
  type FoundSession,
} from "./found-session.ts";
import { rowOfText, selectTexts, type RowText } from "./row-texts.ts";
import { hasWords, searchHits } from "./search-hits.ts";
import { readable, type Source } from "./source.ts";

type Select = SelectQueryBuilder<Tables, "AgentSession", object>;

/** Newest first. The page, how many match, and the counts of the badge. */
export async function listSessions(source: Source, query: SessionQuery): Promise<SessionPage> {
  const rows = await pageRows(source, query);
  const page = rows.slice(0, query.limit);
  const last = page.at(-1);
  const counts = await countSessions(source);
  return {
    sessions: await toRecords(source, page),
    total: countedAlready(query, counts) ?? (await totalOf(source, query)),
    next:
      rows.length > query.limit && last !== undefined
        ? { createdAt: last.createdAt, id: last.id }
        : null,
    counts,
    hits: await searchHits(source, { sessions: page, search: query.search }),
  };
}

/** One row more than asked for, so that the page knows whether there is another. */
async function pageRows(source: Source, query: SessionQuery): Promise<readonly FoundSession[]> {
  const { db, engine } = source;
  const key = JSON.stringify([engine, query]);
  if (engine === "sqlite") {
    const texts = builtTexts(key, () => buildPage(source, query, selectTexts));
    if (texts === null) return [];
    const found = await db.executeQuery(texts).catch(() => null);
    // None when something is in a row that no text can hold.
    if (found !== null) return found.rows.map(rowOfText);
  }
  const rows = builtRows(key, () => buildPage(source, query, selectSessions));
  return rows === null ? [] : (await db.executeQuery(rows)).rows;
}

/** The lists that are asked for again and again, such as the first page: built once. */
const KNOWN_PAGES = 50;
const builtTexts = keepBuilt<RowText>();
const builtRows = keepBuilt<FoundSession>();

function keepBuilt<Row>() {
  const known = keepNewest<string, CompiledQuery<Row>>(KNOWN_PAGES);
  return (key: string, build: () => Compilable<Row> | null): CompiledQuery<Row> | null => {
    const before = known.get(key);
    if (before !== undefined) return before;
    const built = build()?.compile() ?? null;
    if (built !== null) known.set(key, built);
    return built;
  };
}

/** Limits stand in the statement: where they are parameters, SQLite takes twice as long. */
function buildPage<Row>(
  source: Source,
  query: SessionQuery,
  select: (source: Source) => SelectQueryBuilder<Tables, "AgentSession" | "Repo", Row>,
): Compilable<Row> | null {
  const offset = query.offset ?? 0;
  const needed = offset + query.limit + 1;
  const [first, ...others] = branchesOf(query).map((branch) => {
    const newest = filtered(source, branch)
      .select(["AgentSession.id", "AgentSession.createdAt"])
      .orderBy("AgentSession.createdAt", "desc")
      .orderBy("AgentSession.id", "desc")
      .limit(sql.lit(needed));
    return source.db.selectFrom(newest.as("newest")).selectAll();
  });
  if (first === undefined) return null;
  const page = others
    .reduce((all, branch) => all.unionAll(branch), first)
    .orderBy("createdAt", "desc")
    .orderBy("id", "desc")
    .limit(sql.lit(query.limit + 1))
    .offset(sql.lit(offset));
  return select(source)
    .innerJoin(page.as("page"), "page.id", "AgentSession.id")
    .orderBy("page.createdAt", "desc")
    .orderBy("page.id", "desc");
}

/**
 * One branch per status, also for all sessions of a repository, whose index begins with both: each walks an index in order, and
 * a rare status costs no more than a common one. All in one statement, so that a session that changes its status is in exactly
 * one of them.
 */
function branchesOf(query: SessionQuery): readonly SessionQuery[] {
  const { repoId, statuses = repoId === undefined ? undefined : STATUSES } = query;
  if (statuses === undefined) return [query];
  return [...new Set(statuses)].map((status) => ({ ...query, statuses: [status] }));
}

function filtered(source: Source, query: SessionQuery): Select {
  let select: Select = source.db
    .selectFrom("AgentSession")
    .where("AgentSession.setAside", "=", sql.lit(0));
  const { repoId, statuses, states, phase, agentName, providers, search, from, to, after } = query;
  if (repoId !== undefined) select = select.where("repoId", "=", repoId);
  if (statuses !== undefined)
    select = select.where((eb) => isAny(eb, "AgentSession.status", statuses));
  // An index may leave out what is common: that it can be used, the database must see in the statement.
  if (states !== undefined) select = select.where((eb) => isAny(eb, "AgentSession.state", states));
  if (states !== undefined && !states.includes("idle"))
    select = select.where(sql<boolean>`"AgentSession"."state" <> 'idle'`);
  if (phase !== undefined) select = select.where("phase", "=", phase);
  if (phase !== undefined && phase !== "initializing")
    select = select.where(sql<boolean>`"phase" <> 'initializing'`);
  if (agentName !== undefined) select = select.where("agentName", "=", agentName);
  if (providers !== undefined) select = select.where((eb) => goesOnWith(eb, providers));
  // Its life from its creation to its last activity overlaps the range.
  if (from !== undefined) select = select.where("AgentSession.lastActiveAt", ">=", from);
  if (to !== undefined) select = select.where("AgentSession.createdAt", "<", to);
  if (search !== undefined) select = select.where((eb) => matches(source, eb, searchWords(search)));
  if (after !== undefined) {
    const { createdAt, id } = after;
    select = select.where(({ eb, refTuple, tuple }) =>
      eb(refTuple("AgentSession.createdAt", "AgentSession.id"), "<", tuple(createdAt, id)),
    );
  }
  return select;
}

/** PostgreSQL has no empty lists. */
function isAny(
  eb: ExpressionBuilder<Tables, "AgentSession">,
  column: "AgentSession.status" | "AgentSession.state",
  values: readonly string[],
) {
  return values.length === 0 ? eb.lit(false) : eb(column, "in", values);
}

/** Sessions with a document that has every word, the last letters of each left open. */
function matches(
  source: Source,
  eb: ExpressionBuilder<Tables, "AgentSession">,
  words: readonly string[],
) {
  if (words.length === 0) return eb.lit(false);
  return eb(
    "AgentSession.id",
    "in",
    sql<string>`(select "sessionId" from "SearchDocument" where ${hasWords(source, words)})`,
  );
}

/** The provider of a message that chooses none: see `nextAgent`. */
function goesOnWith(
  eb: ExpressionBuilder<Tables, "AgentSession">,
  providers: readonly (string | null)[],
) {
  const next = eb.fn.coalesce("provider", "lastProvider");
  return eb.or(
    providers.map((name) => (name === null ? eb(next, "is", null) : eb(next, "=", name))),
  );
}

/** What matches by status alone is among the counts. */
function countedAlready(query: SessionQuery, counts: SessionCounts): number | null {
  const { statuses = STATUSES, limit: _, offset: __, after: ___, ...filters } = query;
  if (Object.values(filters).some((filter) => filter !== undefined)) return null;
  return [...new Set(statuses)].reduce((sum, status) => sum + counts[status], 0);
}

async function totalOf(source: Source, query: SessionQuery): Promise<number> {
  const { after: _, limit: __, offset: ___, ...unpaged } = query;
  const { repoId, statuses, ...others } = unpaged;
  if (Object.values(others).every((filter) => filter === undefined))
    return tallied(source, { repoId, statuses });
  const counted = await filtered(source, { ...unpaged, limit: 0 })
    .select(({ fn }) => fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  return Number(counted.total);
}

async function tallied(
  { db }: Source,
  { repoId, statuses }: { repoId: string | undefined; statuses: SessionQuery["statuses"] },
): Promise<number> {
  let select = db
    .selectFrom("SessionTally")
    .select(({ fn }) => fn.sum<number | null>("count").as("total"));
  if (repoId !== undefined) select = select.where("repoId", "=", repoId);
  if (statuses !== undefined) select = select.where("status", "in", statuses);
  const { total } = await select.executeTakeFirstOrThrow();
  return Number(total ?? 0);
}

export async function countSessions(source: Source): Promise<SessionCounts> {
  const counted = await countsByStatus(source, {});
  const byStatus = new Map(counted.map(({ status, total }) => [status, Number(total)]));
  const badge = STATUSES.filter((status) => STATUS_RULES[status].counted);
  return {
    active: byStatus.get("active") ?? 0,
    suspended: byStatus.get("suspended") ?? 0,
    archived: byStatus.get("archived") ?? 0,
    error: byStatus.get("error") ?? 0,
    badge: badge.reduce((sum, status) => sum + (byStatus.get(status) ?? 0), 0),
  };
}

const countsByStatus = prepared(({ db }) =>
  db
    .selectFrom("SessionTally")
    .select(["status", ({ fn }) => fn.sum<number>("count").as("total")])
    .groupBy("status"),
);

async function toRecords(
  source: Source,
  rows: readonly FoundSession[],
): Promise<readonly SessionRecord[]> {
  const open = await openSuspensionRows(source, rows);
  return readable(rows, {
    source,
    table: "AgentSession",
    idOf: (row) => row.id,
    read: (row) => toRecord(source, row, open),
    rawOf: rawRow,
  });
}
