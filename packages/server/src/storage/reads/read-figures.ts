import { sql } from "kysely";
import type { JsonObject } from "../../domain/json.ts";
import { OUTCOMES, PHASES, type PhaseChange } from "../../domain/phase.ts";
import type { RunResult } from "../../domain/run.ts";
import type { FiguresPage, FiguresQuery, RunFigures, SessionFigures } from "../figures.ts";
import { checkTimes, oneOf, parseObject, UnreadableRow } from "../rows/parse.ts";
import { parsePhaseHistory } from "../rows/session-row.ts";
import type { EventRow, RunRow, SessionRow } from "../tables.ts";
import type { Source } from "./source.ts";

/** Entries of logs looked through in one go, more or less: it is the longest that others wait. */
const LOG_ENTRIES = 50_000;

const ENDED = [
  "completed",
  "failed",
  "cancelled",
  "interrupted",
] as const satisfies readonly RunResult["outcome"][];

/**
 * Rows, not sums: a sum over all would hold up everything else for as long as it takes on SQLite,
 * whose reads are on the main thread. By session, so that whoever adds them up need not remember which
 * sessions there were.
 */
export async function readFigures(source: Source, query: FiguresQuery): Promise<FiguresPage> {
  const found = await sessionRows(source, query);
  const rows = withinReach(found, query);
  const last = rows.at(-1);
  const isLast = rows.length === found.length && found.length < query.limit;
  const runs = Map.groupBy(await runRows(source, query), ({ sessionId }) => sessionId);
  const errors = Map.groupBy(await errorRows(source, query, rows), ({ sessionId }) => sessionId);
  return {
    sessions: rows
      .filter((row) => isTouched(row, query))
      .flatMap((row) => {
        const found = { runs: runs.get(row.id), errors: errors.get(row.id), query };
        const figures = unlessUnreadable(() => toFigures(row, found));
        if (figures === undefined) return [];
        return livedIn(row, query) || hasSomething(figures, query) ? [figures] : [];
      }),
    next: isLast || last === undefined ? null : { createdAt: last.createdAt, id: last.id },
  };
}

type FoundSession = Pick<
  SessionRow,
  | "id"
  | "agentName"
  | "createdAt"
  | "updatedAt"
  | "lastActiveAt"
  | "finalizedAt"
  | "archivedAt"
  | "failedAt"
  | "phase"
  | "phaseHistory"
  | "errorTotal"
  | "lastSeq"
> & { readonly hasRuns: number; readonly failedRuns: number };
type FoundRun = Pick<RunRow, "sessionId" | "provider" | "status" | "usage"> & {
  readonly startedAt: number;
  readonly endedAt: number;
  readonly wentOn: number;
};
type FoundError = Pick<EventRow, "sessionId" | "at">;

function sessionRows(source: Source, query: FiguresQuery): Promise<FoundSession[]> {
  return lookedAt(source, query)
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

/** By an index, whatever the range is: a page costs the same wherever it is. */
function lookedAt({ db }: Source, { to, after, limit }: FiguresQuery) {
  let select = db
    .selectFrom("AgentSession")
    .where("setAside", "=", sql.lit(0))
    .orderBy("createdAt")
    .orderBy("id")
    .limit(limit);
  if (to !== undefined) select = select.where("createdAt", "<", to);
  if (after !== undefined) {
    select = select.where(({ eb, refTuple, tuple }) =>
      eb(refTuple("createdAt", "id"), ">", tuple(after.createdAt, after.id)),
    );
  }
  return select;
}

/** Only of sessions that changed since: the others' runs need no look. */
function runRows(source: Source, query: FiguresQuery): Promise<FoundRun[]> {
  const { from, to } = query;
  let sessions = source.db
    .selectFrom(lookedAt(source, query).select(["id", "updatedAt"]).as("looked"))
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

/** Fewer sessions where many have errors in long logs; never none. */
function withinReach(rows: readonly FoundSession[], query: FiguresQuery): readonly FoundSession[] {
  let entries = 0;
  const end = rows.findIndex((row) => {
    if (hasReportedErrors(row, query)) entries += row.lastSeq;
    return entries > LOG_ENTRIES;
  });
  return end < 0 ? rows : rows.slice(0, Math.max(1, end));
}

/** Nothing happens to a session after its last change. */
function isTouched({ updatedAt }: FoundSession, { from = -Infinity }: FiguresQuery): boolean {
  return updatedAt >= from;
}

/** More errors are counted than runs have failed. */
function hasReportedErrors(row: FoundSession, query: FiguresQuery): boolean {
  return row.errorTotal > row.failedRuns && isTouched(row, query);
}

/** The log holds them among everything else: it is looked through only where there are some. */
async function errorRows(
  { db }: Source,
  query: FiguresQuery,
  rows: readonly FoundSession[],
): Promise<readonly FoundError[]> {
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

interface Found {
  readonly runs: readonly FoundRun[] | undefined;
  readonly errors: readonly FoundError[] | undefined;
  readonly query: FiguresQuery;
}

function toFigures(row: FoundSession, { runs = [], errors = [], query }: Found): SessionFigures {
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
    phaseHistory: readableHistory(row.phaseHistory),
    errorTotal,
    errorsAt: errors.map((error) => error.at),
    hasRuns: row.hasRuns === 1,
    runs: runs.flatMap((run) => unlessUnreadable(() => toRunFigures(run)) ?? []),
  };
}

function toRunFigures(run: FoundRun): RunFigures {
  const { provider, status, startedAt, endedAt, usage, wentOn } = run;
  checkTimes(run, ["startedAt", "endedAt"]);
  return {
    provider,
    outcome: oneOf(ENDED, "status", status),
    startedAt,
    endedAt,
    usage: usage === null ? null : readableUsage(usage),
    wentOn: wentOn === 1,
  };
}

function readableUsage(text: string): JsonObject | null {
  return unlessUnreadable(() => parseObject("usage", text)) ?? null;
}

function readableHistory(text: string): readonly PhaseChange[] {
  return unlessUnreadable(() => parsePhaseHistory(text)) ?? [];
}

/** What cannot be read is reported by those who read it whole; here the rest counts without it. */
function unlessUnreadable<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnreadableRow) return undefined;
    throw error;
  }
}

/** Whether its life, from its creation to its last activity, overlaps the range. */
function livedIn(
  { createdAt, lastActiveAt }: FoundSession,
  { from = -Infinity, to = Infinity }: FiguresQuery,
): boolean {
  return createdAt < to && lastActiveAt >= from;
}

/** What moves no last activity: being put away, or cut off. */
function hasSomething(figures: SessionFigures, query: FiguresQuery): boolean {
  const { runs, closedAt } = figures;
  return runs.length > 0 || (closedAt !== null && isWithin(closedAt, query));
}

function isWithin(at: number, { from = -Infinity, to = Infinity }: FiguresQuery): boolean {
  return at >= from && at < to;
}
