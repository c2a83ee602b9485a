import { sql, type ExpressionBuilder, type SelectQueryBuilder } from "kysely";
import { STATUS_RULES, STATUSES } from "../../domain/status.ts";
import { searchWords } from "../search-words.ts";
import type { SessionCounts, SessionPage, SessionQuery, SessionRecord } from "../store.ts";
import type { Tables } from "../tables.ts";
import {
  openSuspensionRows,
  rawRow,
  selectSessions,
  toRecord,
  type FoundSession,
} from "./found-session.ts";
import { readable, type Source } from "./source.ts";

type Select = SelectQueryBuilder<Tables, "AgentSession", object>;

/** Newest first. The page, how many match, and the counts of the badge. */
export async function listSessions(source: Source, query: SessionQuery): Promise<SessionPage> {
  const rows = await pageRows(source, query);
  const page = rows.slice(0, query.limit);
  const last = page.at(-1);
  return {
    sessions: await toRecords(source, page),
    total: await totalOf(source, query),
    next:
      rows.length > query.limit && last !== undefined
        ? { createdAt: last.createdAt, id: last.id }
        : null,
    counts: await countSessions(source),
  };
}

/** One row more than asked for, so that the page knows whether there is another. */
async function pageRows(source: Source, query: SessionQuery): Promise<readonly FoundSession[]> {
  const offset = query.offset ?? 0;
  const needed = offset + query.limit + 1;
  const [first, ...others] = branchesOf(query).map((branch) => {
    const newest = filtered(source, branch)
      .select(["AgentSession.id", "AgentSession.createdAt"])
      .orderBy("AgentSession.createdAt", "desc")
      .orderBy("AgentSession.id", "desc")
      .limit(needed);
    return source.db.selectFrom(newest.as("newest")).selectAll();
  });
  if (first === undefined) return [];
  const page = others
    .reduce((all, branch) => all.unionAll(branch), first)
    .orderBy("createdAt", "desc")
    .orderBy("id", "desc")
    .limit(query.limit + 1)
    .offset(offset);
  return selectSessions(source)
    .innerJoin(page.as("page"), "page.id", "AgentSession.id")
    .orderBy("page.createdAt", "desc")
    .orderBy("page.id", "desc")
    .execute();
}

/**
 * One branch per status: each walks an index in order, and a rare status costs no more than a common
 * one. All in one statement, so that a session that changes its status is in exactly one of them.
 */
function branchesOf(query: SessionQuery): readonly SessionQuery[] {
  if (query.statuses === undefined) return [query];
  return [...new Set(query.statuses)].map((status) => ({ ...query, statuses: [status] }));
}

function filtered(source: Source, query: SessionQuery): Select {
  let select: Select = source.db
    .selectFrom("AgentSession")
    .where("AgentSession.setAside", "=", sql.lit(0));
  const { repoId, statuses, states, phase, agentName, search, from, to, after } = query;
  if (repoId !== undefined) select = select.where("repoId", "=", repoId);
  if (statuses !== undefined)
    select = select.where((eb) => isAny(eb, "AgentSession.status", statuses));
  if (states !== undefined) select = select.where((eb) => isAny(eb, "AgentSession.state", states));
  if (phase !== undefined) select = select.where("phase", "=", phase);
  if (agentName !== undefined) select = select.where("agentName", "=", agentName);
  if (from !== undefined) select = select.where("AgentSession.createdAt", ">=", from);
  if (to !== undefined) select = select.where("AgentSession.createdAt", "<", to);
  if (search !== undefined) select = select.where((eb) => matches(source, eb, searchWords(search)));
  if (after !== undefined) {
    const { createdAt, id } = after;
    select = select.where(({ eb, and, or }) =>
      or([
        eb("AgentSession.createdAt", "<", createdAt),
        and([eb("AgentSession.createdAt", "=", createdAt), eb("AgentSession.id", "<", id)]),
      ]),
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
  const documents =
    source.engine === "sqlite"
      ? sql<string>`select "sessionId" from "SearchDocument" where "key" in (
          select rowid from "SearchIndex" where "SearchIndex" match ${words.map((word) => `"${word}"*`).join(" ")})`
      : sql<string>`select "sessionId" from "SearchDocument"
          where "words" @@ cast(${words.map((word) => `'${word}':*`).join(" & ")} as tsquery)`;
  return eb("AgentSession.id", "in", sql<string>`(${documents})`);
}

async function totalOf(source: Source, query: SessionQuery): Promise<number> {
  const { after: _, limit: __, offset: ___, ...unpaged } = query;
  const { repoId, statuses, ...others } = unpaged;
  if (source.engine === "sqlite" && Object.values(others).every((filter) => filter === undefined)) {
    return tallied(source, { repoId, statuses });
  }
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
  return total ?? 0;
}

export async function countSessions({ db, engine }: Source): Promise<SessionCounts> {
  const counted =
    engine === "sqlite"
      ? await db
          .selectFrom("SessionTally")
          .select(["status", ({ fn }) => fn.sum<number>("count").as("total")])
          .groupBy("status")
          .execute()
      : await db
          .selectFrom("AgentSession")
          .select(["status", ({ fn }) => fn.countAll<number>().as("total")])
          .where("setAside", "=", sql.lit(0))
          .groupBy("status")
          .execute();
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
