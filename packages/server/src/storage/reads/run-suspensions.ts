import { sql } from "kysely";
import { CLOSINGS, SUSPENSION_KINDS } from "../../domain/suspension.ts";
import { oneOf, parseJsonOrNull } from "../rows/parse.ts";
import { fromRunRow } from "../rows/run-row.ts";
import type { RunSuspension, RunSuspensionsQuery, ShownUnusedAnswer } from "../store.ts";
import { readable, type Source } from "./source.ts";

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
  return readable(rows, {
    // Not whole as they are here, so that what cannot be read is for others to keep.
    source: { ...source, report: () => {} },
    table: "Suspension",
    idOf: (row) => row.id,
    read: (row) => ({
      ...row,
      kind: oneOf(SUSPENSION_KINDS, "kind", row.kind),
      status: oneOf(["open", ...CLOSINGS], "status", row.status),
      answer: parseJsonOrNull("answer", row.answer),
    }),
  });
}

/** Shown until a person dismisses them, sends the next message, or puts the session away. */
export async function unusedAnswers(source: Source): Promise<readonly ShownUnusedAnswer[]> {
  const rows = await source.db
    .selectFrom("Run")
    .innerJoin("AgentSession", "AgentSession.id", "Run.sessionId")
    .selectAll("Run")
    // Written out, so that the index of the few is used.
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
  const runs = readable(rows, { source, table: "Run", idOf: (row) => row.id, read: fromRunRow });
  return runs.flatMap(({ id: runId, sessionId, endedAt, unusedAnswers: unused }) =>
    unused.map((answer) => ({ ...answer, sessionId, runId, at: endedAt ?? 0 })),
  );
}
