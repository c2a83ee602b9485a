import { sql } from "kysely";
import { CLOSINGS, SUSPENSION_KINDS } from "../../domain/suspension.ts";
import { oneOf, parseJsonOrNull, unlessUnreadable } from "../rows/parse.ts";
import type { RunSuspension, RunSuspensionsQuery, ShownUnusedAnswer } from "../ports/run-store.ts";
import { toRuns } from "./plain-reads.ts";
import type { Source } from "./source.ts";

const ANSWER_CHARACTERS = 1_000;

export async function readRunSuspensions(
  source: Source,
  { sessionId, runIds, perRun }: RunSuspensionsQuery,
): Promise<readonly RunSuspension[]> {
  if (runIds.length === 0) return []; // PostgreSQL has no empty lists
  const numbered = source.db
    .selectFrom("Suspension")
    .select(["id", "runId", "kind", "status", "answeredBy", "createdAt", "closedAt"])
    .select([
      sql<string | null>`case when length(cast("answer" as text)) <= ${sql.lit(ANSWER_CHARACTERS)}
        then cast("answer" as text) end`.as("answer"),
      sql<number>`row_number() over (partition by "runId" order by "createdAt", "id")`.as("number"),
    ])
    .where("sessionId", "=", sessionId)
    .where("runId", "in", runIds);
  const rows = await source.db
    .selectFrom(numbered.as("numbered"))
    .select(["id", "runId", "kind", "status", "answer", "answeredBy", "createdAt", "closedAt"])
    .where("number", "<=", perRun)
    .orderBy("createdAt")
    .orderBy("id")
    .execute();
  const toSuspension = (row: (typeof rows)[number]): RunSuspension => ({
    ...row,
    kind: oneOf(SUSPENSION_KINDS, "kind", row.kind),
    status: oneOf(["open", ...CLOSINGS], "status", row.status),
    answer: parseJsonOrNull("answer", row.answer),
  });
  return rows.flatMap((row) => unlessUnreadable(() => toSuspension(row)) ?? []);
}

/** Shown until a person dismisses them, sends a message or archives the session. */
export async function unusedAnswers(source: Source): Promise<readonly ShownUnusedAnswer[]> {
  const rows = await source.db
    .selectFrom("Run")
    .innerJoin("AgentSession", "AgentSession.id", "Run.sessionId")
    .selectAll("Run")
    // A literal, so that the partial index is used.
    .where("Run.unusedShown", "=", sql.lit(1))
    .where("AgentSession.setAside", "=", 0)
    .where("AgentSession.status", "in", ["active", "suspended"])
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("Run as later")
            .select("later.id")
            .whereRef("later.sessionId", "=", "Run.sessionId")
            .whereRef("later.queuedAt", ">=", "Run.endedAt"),
        ),
      ),
    )
    .orderBy("Run.endedAt")
    .orderBy("Run.id")
    .execute();
  const runs = toRuns(source, rows);
  return runs.flatMap(({ id: runId, sessionId, endedAt, unusedAnswers: unused }) =>
    unused.map((answer) => ({ ...answer, sessionId, runId, at: endedAt ?? 0 })),
  );
}
