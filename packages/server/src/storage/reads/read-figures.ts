import { sql } from "kysely";
import type { JsonObject } from "../../domain/json.ts";
import { OUTCOMES } from "../../domain/phase.ts";
import type { RunResult } from "../../domain/run.ts";
import type { FiguresPage, FiguresQuery, RunFigures, SessionFigures } from "../figures.ts";
import { oneOf, parseObject, UnreadableRow } from "../parse.ts";
import type { RunRow, SessionRow } from "../tables.ts";
import type { Source } from "./source.ts";

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
  const rows = await sessionRows(source, query);
  const last = rows.at(-1);
  const runs = Map.groupBy(await runRows(source, query), ({ sessionId }) => sessionId);
  return {
    sessions: rows
      .map((row) => toFigures(row, { runs: runs.get(row.id) ?? [], query }))
      .filter((figures) => hasSomething(figures, query)),
    next:
      rows.length === query.limit && last !== undefined
        ? { createdAt: last.createdAt, id: last.id }
        : null,
  };
}

type FoundSession = Pick<SessionRow, "id" | "agentName" | "createdAt" | "finalizedAt" | "phase">;
type FoundRun = Pick<RunRow, "sessionId" | "provider" | "status" | "usage"> & {
  readonly startedAt: number;
  readonly endedAt: number;
  readonly wentOn: number;
};

function sessionRows(source: Source, query: FiguresQuery): Promise<FoundSession[]> {
  return lookedAt(source, query)
    .select(["id", "agentName", "createdAt", "finalizedAt", "phase"])
    .execute();
}

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

/** What ended after a session was last changed cannot be: the others' runs need no look. */
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

function toFigures(
  row: FoundSession,
  { runs, query }: { runs: readonly FoundRun[]; query: FiguresQuery },
): SessionFigures {
  const { id, agentName, createdAt, finalizedAt: at, phase } = row;
  const outcome = OUTCOMES.find((candidate) => candidate === phase);
  return {
    id,
    agentName,
    createdAt,
    finalized: at !== null && outcome !== undefined && isWithin(at, query) ? { at, outcome } : null,
    runs: runs.map(toRunFigures),
  };
}

function toRunFigures({
  provider,
  status,
  startedAt,
  endedAt,
  usage,
  wentOn,
}: FoundRun): RunFigures {
  return {
    provider,
    outcome: oneOf(ENDED, "status", status),
    startedAt,
    endedAt,
    usage: usage === null ? null : readableUsage(usage),
    wentOn: wentOn === 1,
  };
}

/** A run that cannot be read is reported by those who read it whole; here it counts without its usage. */
function readableUsage(text: string): JsonObject | null {
  try {
    return parseObject("usage", text);
  } catch (error) {
    if (error instanceof UnreadableRow) return null;
    throw error;
  }
}

function hasSomething(figures: SessionFigures, query: FiguresQuery): boolean {
  return (
    figures.runs.length > 0 || figures.finalized !== null || isWithin(figures.createdAt, query)
  );
}

function isWithin(at: number, { from = -Infinity, to = Infinity }: FiguresQuery): boolean {
  return at >= from && at < to;
}
