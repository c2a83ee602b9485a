import { sql, type ExpressionBuilder, type SelectQueryBuilder } from "kysely";
import { STATUS_RULES, STATUSES } from "../../domain/status.ts";
import type { Suspension } from "../../domain/suspension.ts";
import { UnreadableRow } from "../parse.ts";
import { toSuspension } from "../run-row.ts";
import { searchWords } from "../search-words.ts";
import { fromSessionRow } from "../session-row.ts";
import type { SessionCounts, SessionPage, SessionQuery, SessionRecord } from "../store.ts";
import type { SessionRow, Tables } from "../tables.ts";
import { readable, type Source } from "./source.ts";

type Listed = SessionRow & { readonly knownRepo: string | null };
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
async function pageRows(source: Source, query: SessionQuery): Promise<readonly Listed[]> {
  const offset = query.offset ?? 0;
  const needed = offset + query.limit + 1;
  const branches = branchesOf(query).map((branch) =>
    filtered(source, branch)
      .leftJoin("Repo", "Repo.id", "AgentSession.repoId")
      .selectAll("AgentSession")
      .select("Repo.id as knownRepo")
      .orderBy("AgentSession.createdAt", "desc")
      .orderBy("AgentSession.id", "desc")
      .limit(needed),
  );
  const pages: (readonly Listed[])[] = [];
  for (const branch of branches) pages.push(await branch.execute());
  const rows = pages.length === 1 ? (pages[0] ?? []) : pages.flat().toSorted(newestFirst);
  return rows.slice(offset, needed);
}

/**
 * One query per status where several are wanted: each then walks an index in order, and a rare
 * status costs no more than a common one.
 */
function branchesOf(query: SessionQuery): readonly SessionQuery[] {
  const { statuses } = query;
  if (statuses === undefined || statuses.length < 2) return [query];
  return [...new Set(statuses)].map((status) => ({ ...query, statuses: [status] }));
}

function newestFirst(left: SessionRow, right: SessionRow): number {
  if (left.createdAt !== right.createdAt) return right.createdAt - left.createdAt;
  return left.id < right.id ? 1 : -1;
}

function filtered(source: Source, query: SessionQuery): Select {
  let select: Select = source.db.selectFrom("AgentSession").where("AgentSession.setAside", "=", sql.lit(0));
  const { repoId, statuses, states, phase, agentName, search, from, to, after } = query;
  if (repoId !== undefined) select = select.where("repoId", "=", repoId);
  if (statuses !== undefined) select = select.where("AgentSession.status", "in", statuses);
  if (states !== undefined) select = select.where("AgentSession.state", "in", states);
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

/** Sessions with a document that has every word, the last letters of each left open. */
function matches(source: Source, eb: ExpressionBuilder<Tables, "AgentSession">, words: readonly string[]) {
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
  let select = db.selectFrom("SessionTally").select(({ fn }) => fn.sum<number | null>("count").as("total"));
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

async function toRecords(source: Source, rows: readonly Listed[]): Promise<readonly SessionRecord[]> {
  const waiting = rows.filter(({ state }) => state === "suspended").map(({ id }) => id);
  const suspensions = await suspensionsOf(source, waiting);
  return readable(rows, {
    source,
    table: "AgentSession",
    idOf: (row) => row.id,
    read: ({ knownRepo, ...row }) => {
      if (row.repoId !== null && knownRepo === null) {
        throw new UnreadableRow(`its repository ${row.repoId} does not exist`);
      }
      return fromSessionRow(row, suspensions.get(row.id) ?? []);
    },
  });
}

async function suspensionsOf(
  source: Source,
  sessionIds: readonly string[],
): Promise<ReadonlyMap<string, readonly Suspension[]>> {
  if (sessionIds.length === 0) return new Map();
  const rows = await source.db
    .selectFrom("Suspension")
    .selectAll()
    .where("sessionId", "in", sessionIds)
    .where("status", "=", "open")
    .orderBy("createdAt")
    .execute();
  const found = readable(rows, {
    source,
    table: "Suspension",
    idOf: (row) => row.id,
    read: (row) => ({ sessionId: row.sessionId, suspension: toSuspension(row) }),
  });
  const grouped = Map.groupBy(found, ({ sessionId }) => sessionId);
  return new Map([...grouped].map(([id, group]) => [id, group.map(({ suspension }) => suspension)]));
}
