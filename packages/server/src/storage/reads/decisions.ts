import { sql } from "kysely";
import { CLOSINGS } from "../../domain/suspension.ts";
import type { DecisionsQuery, RunCall, StoredDecision } from "../ports/run-store.ts";
import { oneOf, parseJson, parseJsonOrNull, unlessUnreadable } from "../rows/parse.ts";
import type { Source } from "./source.ts";

/** Both databases limit the parameters of a statement. */
const CALLS_AT_ONCE = 500;
const OPTIONS_CHARACTERS = 10_000;
const ANSWER_CHARACTERS = 1_000;

export async function readDecisions(
  source: Source,
  { sessionId, calls }: DecisionsQuery,
): Promise<readonly StoredDecision[]> {
  const decisions: StoredDecision[] = [];
  for (let start = 0; start < calls.length; start += CALLS_AT_ONCE) {
    const part = calls.slice(start, start + CALLS_AT_ONCE);
    decisions.push(...(await decisionsOn(source, sessionId, part)));
  }
  return decisions;
}

async function decisionsOn(
  { db }: Source,
  sessionId: string,
  calls: readonly RunCall[],
): Promise<readonly StoredDecision[]> {
  // As JSON text: PostgreSQL cannot turn every JSON string into text.
  const callId = sql<string>`cast("request" -> 'toolCallId' as text)`;
  const rows = await db
    .selectFrom("Suspension")
    .select(["id", "runId", "status", "answeredBy", "closedAt"])
    .select([
      callId.as("callId"),
      upTo(OPTIONS_CHARACTERS, sql`cast("request" -> 'options' as text)`).as("options"),
      upTo(ANSWER_CHARACTERS, sql`cast("answer" as text)`).as("answer"),
    ])
    .where("sessionId", "=", sessionId)
    .where("kind", "=", "permission")
    .where("status", "<>", "open")
    .where("runId", "in", [...new Set(calls.map(({ runId }) => runId))])
    .where(callId, "in", [...new Set(calls.map((call) => JSON.stringify(call.callId)))])
    .orderBy("createdAt")
    .orderBy("id")
    .execute();
  const wanted = new Set(calls.map(keyOf));
  const toDecision = (row: (typeof rows)[number]): StoredDecision => ({
    ...row,
    callId: parseText("request", row.callId),
    status: oneOf(CLOSINGS, "status", row.status),
    options: parseJsonOrNull("request", row.options),
    answer: parseJsonOrNull("answer", row.answer),
  });
  return rows
    .flatMap((row) => unlessUnreadable(() => toDecision(row)) ?? [])
    .filter((decision) => wanted.has(keyOf(decision)));
}

function keyOf({ runId, callId }: RunCall): string {
  return `${runId}/${callId}`;
}

function parseText(column: string, json: string): string {
  const text = parseJson(column, json);
  return typeof text === "string" ? text : "";
}

function upTo(characters: number, text: ReturnType<typeof sql>) {
  return sql<string | null>`case when length(${text}) <= ${sql.lit(characters)} then ${text} end`;
}
