import { sql } from "kysely";
import { OUTCOMES, PHASES } from "../../domain/phase.ts";
import type { RunResult } from "../../domain/run.ts";
import { STATES, STATUSES, type State, type Status } from "../../domain/status.ts";
import type {
  FiguresPage,
  FiguresQuery,
  RunFigures,
  SessionFigures,
  Tally,
} from "../ports/stats-store.ts";
import { checkTimes, oneOf, parseObject, unlessUnreadable } from "../rows/parse.ts";
import { parsePhaseHistory } from "../rows/session-row.ts";
import type { EventRow } from "../tables.ts";
import { isAfter, type Source } from "./source.ts";

/** Approximate number of log entries scanned per call. It bounds how long other reads wait. */
const LOG_ENTRIES = 50_000;

const ENDED = [
  "completed",
  "failed",
  "cancelled",
  "interrupted",
] as const satisfies readonly RunResult["outcome"][];

/**
 * Returns rows, not sums: SQLite reads on the main thread, and a sum over all sessions would block it. Grouped by session,
 * so that the caller need not remember sessions across pages.
 */
export async function readFigures(source: Source, query: FiguresQuery): Promise<FiguresPage> {
  const page = await sessionRows(source, query);
  const rows = withinReach(page, query);
  const last = rows.at(-1);
  const isLast = rows.length === page.length && page.length < query.limit;
  const runs = Map.groupBy(await runRows(source, query), ({ sessionId }) => sessionId);
  const errors = Map.groupBy(await errorRows(source, query, rows), ({ sessionId }) => sessionId);
  return {
    sessions: rows
      .filter((row) => isTouched(row, query))
      .flatMap((row) => {
        const parts = { runs: runs.get(row.id), errors: errors.get(row.id), query };
        const figures = unlessUnreadable(() => toFigures(row, parts));
        if (figures === undefined) return [];
        return livedIn(row, query) || hasSomething(figures, query) ? [figures] : [];
      }),
    next: isLast || last === undefined ? null : { at: last.createdAt, id: last.id },
  };
}

type FigureRow = Awaited<ReturnType<typeof sessionRows>>[number];
type RunFigureRow = Awaited<ReturnType<typeof runRows>>[number];
type ErrorRow = Pick<EventRow, "sessionId" | "at">;

function sessionRows(source: Source, query: FiguresQuery) {
  return examined(source, query)
    .select(["id", "agentName", "createdAt", "updatedAt", "lastActiveAt"])
    .select(["finalizedAt", "archivedAt", "failedAt"])
    .select(["phase", "phaseHistory", "errorTotal", "lastSeq"])
    .select([hasRuns, failedRuns])
    .execute();
}

const hasRuns =
  sql<number>`case when exists (select 1 from "Run" where "Run"."sessionId" = "AgentSession"."id"
    and "Run"."startedAt" is not null) then 1 else 0 end`.as("hasRuns");

const failedRuns = sql<number>`case when "errorTotal" = 0 then 0 else (select count(*) from "Run"
    where "Run"."sessionId" = "AgentSession"."id" and "Run"."status" = 'failed') end`.as(
  "failedRuns",
);

/** Uses an index for any range: all pages cost the same. */
function examined({ db }: Source, { to, after, limit }: FiguresQuery) {
  let select = db
    .selectFrom("AgentSession")
    .where("setAside", "=", sql.lit(0))
    .orderBy("createdAt")
    .orderBy("id")
    .limit(limit);
  if (to !== undefined) select = select.where("createdAt", "<", to);
  if (after !== undefined)
    select = select.where(isAfter(["createdAt", "id"], [after.at, after.id]));
  return select;
}

/** Only for sessions changed since the start of the range. */
function runRows(source: Source, query: FiguresQuery) {
  const { from, to } = query;
  let sessions = source.db
    .selectFrom(examined(source, query).select(["id", "updatedAt"]).as("looked"))
    .select("id");
  if (from !== undefined) sessions = sessions.where("updatedAt", ">=", from);
  let select = source.db
    .selectFrom("Run")
    .select(["sessionId", "provider", "status", "startedAt", "endedAt", "usage"])
    .select(wentOn)
    .where("sessionId", "in", sessions)
    .where("status", "in", ENDED)
    .where("startedAt", "is not", null)
    .where("endedAt", "is not", null)
    .orderBy("sessionId")
    .orderBy("queuedAt")
    .$narrowType<{ startedAt: number; endedAt: number }>();
  if (from !== undefined) select = select.where("endedAt", ">=", from);
  if (to !== undefined) select = select.where("endedAt", "<", to);
  return select.execute();
}

const wentOn = sql<number>`case when "Run"."status" = 'interrupted' and exists (
    select 1 from "Run" as "later" where "later"."sessionId" = "Run"."sessionId"
      and "later"."id" <> "Run"."id" and "later"."startedAt" >= "Run"."endedAt") then 1 else 0 end`.as(
  "wentOn",
);

/** Shortens the page where many sessions have errors in long logs. Keeps at least one session. */
function withinReach(rows: readonly FigureRow[], query: FiguresQuery): readonly FigureRow[] {
  let entries = 0;
  const end = rows.findIndex((row) => {
    if (hasReportedErrors(row, query)) entries += row.lastSeq;
    return entries > LOG_ENTRIES;
  });
  return end < 0 ? rows : rows.slice(0, Math.max(1, end));
}

function isTouched({ updatedAt }: FigureRow, { from = -Infinity }: FiguresQuery): boolean {
  return updatedAt >= from;
}

/** Whether more errors were counted than runs failed. */
function hasReportedErrors(row: FigureRow, query: FiguresQuery): boolean {
  return row.errorTotal > row.failedRuns && isTouched(row, query);
}

/** Scans the log only of sessions that have reported errors. */
async function errorRows(
  { db }: Source,
  query: FiguresQuery,
  rows: readonly FigureRow[],
): Promise<readonly ErrorRow[]> {
  const { from, to } = query;
  const ids = rows.filter((row) => hasReportedErrors(row, query)).map(({ id }) => id);
  if (ids.length === 0) return []; // PostgreSQL has no empty lists
  let select = db
    .selectFrom("SessionEvent")
    .select(["sessionId", "at"])
    .where("sessionId", "in", ids)
    .where("kind", "=", "event")
    .where("data", "like", '{"type":"error.recorded"%')
    .orderBy("sessionId")
    .orderBy("seq");
  if (from !== undefined) select = select.where("at", ">=", from);
  if (to !== undefined) select = select.where("at", "<", to);
  return select.execute();
}

interface Parts {
  readonly runs: readonly RunFigureRow[] | undefined;
  readonly errors: readonly ErrorRow[] | undefined;
  readonly query: FiguresQuery;
}

function toFigures(row: FigureRow, { runs = [], errors = [], query }: Parts): SessionFigures {
  const { id, agentName, createdAt, finalizedAt: at, archivedAt, failedAt, errorTotal } = row;
  checkTimes(row, ["createdAt", "finalizedAt", "archivedAt", "failedAt"]);
  const phase = oneOf(PHASES, "phase", row.phase);
  const outcome = OUTCOMES.find((candidate) => candidate === phase);
  const closings = [at, archivedAt, failedAt].filter((closed) => closed !== null);
  return {
    id,
    agentName,
    createdAt,
    finalized: at !== null && outcome !== undefined && isWithin(at, query) ? { at, outcome } : null,
    closedAt: closings.length === 0 ? null : Math.min(...closings),
    phase,
    phaseHistory: unlessUnreadable(() => parsePhaseHistory(row.phaseHistory)) ?? [],
    errorTotal,
    errorsAt: errors.map((error) => error.at),
    hasRuns: row.hasRuns === 1,
    runs: runs.flatMap((run) => unlessUnreadable(() => toRunFigures(run)) ?? []),
  };
}

function toRunFigures(run: RunFigureRow): RunFigures {
  const { provider, status, startedAt, endedAt, usage, wentOn } = run;
  checkTimes(run, ["startedAt", "endedAt"]);
  return {
    provider,
    outcome: oneOf(ENDED, "status", status),
    startedAt,
    endedAt,
    usage: usage === null ? null : (unlessUnreadable(() => parseObject("usage", usage)) ?? null),
    wentOn: wentOn === 1,
  };
}

function livedIn(
  { createdAt, lastActiveAt }: FigureRow,
  { from = -Infinity, to = Infinity }: FiguresQuery,
): boolean {
  return createdAt < to && lastActiveAt >= from;
}

/** Archiving a session and interrupting a run do not count as activity. */
function hasSomething(figures: SessionFigures, query: FiguresQuery): boolean {
  const { runs, closedAt } = figures;
  return runs.length > 0 || (closedAt !== null && isWithin(closedAt, query));
}

function isWithin(at: number, { from = -Infinity, to = Infinity }: FiguresQuery): boolean {
  return at >= from && at < to;
}

/**
 * Counts only busy sessions one by one. The idle ones are the rest of each status. One statement, so that both numbers are
 * of the same moment.
 */
export async function tally(source: Source): Promise<Tally> {
  const { db } = source;
  const busy = db
    .selectFrom("AgentSession")
    .select(["status", "state", ({ fn }) => fn.countAll<number>().as("total")])
    .where("setAside", "=", sql.lit(0))
    .where("state", "<>", sql.lit("idle"))
    // Redundant, but without it SQLite chooses another index for the grouping.
    .where("state", "in", BUSY)
    .groupBy(["status", "state"]);
  const rows = await db
    .selectFrom("SessionTally")
    .select(["status", sql<string>`${ALL}`.as("state")])
    .select(({ fn }) => fn.sum<number>("count").as("total"))
    .groupBy("status")
    .unionAll(busy)
    .execute();
  const totals = new Map(
    rows.map(({ status, state, total }) => [`${status} ${state}`, Number(total)]),
  );
  const countOf = (status: Status, state: State): number => {
    if (state !== "idle") return totals.get(`${status} ${state}`) ?? 0;
    const busyCount = BUSY.map((other) => totals.get(`${status} ${other}`) ?? 0).reduce(
      (sum, count) => sum + count,
      0,
    );
    return (totals.get(`${status} ${ALL}`) ?? 0) - busyCount;
  };
  const { queued } = await db
    .selectFrom("AgentSession")
    .select(({ fn }) => fn.sum<number | null>("queued").as("queued"))
    .where("queued", ">", sql.lit(0))
    .where("setAside", "=", sql.lit(0))
    .executeTakeFirstOrThrow();
  return {
    sessions: STATUSES.flatMap((status) =>
      STATES.map((state) => ({ status, state, count: countOf(status, state) })),
    ).filter(({ count }) => count > 0),
    queuedMessages: Number(queued ?? 0),
  };
}

const ALL = "all";
const BUSY = STATES.filter((state) => state !== "idle");
