import { sql } from "kysely";
import { keepNewest } from "../keep-newest.ts";
import { SESSION_COLUMNS } from "../rows/session-row.ts";
import type { JoinedSession } from "./joined-session.ts";
import type { Source } from "./source.ts";

/** Selects a session as one JSON text. SQLite returns it in half the time, and an unchanged row is recognized by one comparison. */
export function selectTexts({ db }: Pick<Source, "db">) {
  const values = [...SESSION_COLUMNS.map((column) => `AgentSession.${column}`), "Repo.id"];
  const text = sql<string>`json_array(${sql.join(values.map((value) => sql.ref(value)))})`;
  return db
    .selectFrom("AgentSession")
    .leftJoin("Repo", "Repo.id", "AgentSession.repoId")
    .select(["AgentSession.id", text.as("text")]);
}

export interface RowText {
  readonly id: string;
  readonly text: string;
}

const cache = keepNewest<string, { readonly text: string; readonly row: JoinedSession }>(500);

/** Returns the same row object for the same text. */
export function rowOfText({ id, text }: RowText): JoinedSession {
  const cached = cache.get(id);
  if (cached?.text === text) return cached.row;
  const values: unknown = JSON.parse(text);
  if (!Array.isArray(values)) throw new Error("unreachable: json_array returns an array");
  const entries = [...SESSION_COLUMNS, "knownRepo"].map((column, index) => [column, values[index]]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- values are checked when the row is parsed
  const row = Object.fromEntries(entries) as JoinedSession;
  cache.set(id, { text, row });
  return row;
}
