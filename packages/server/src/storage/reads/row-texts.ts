import { sql } from "kysely";
import { keepNewest } from "../keep-newest.ts";
import type { SessionRow } from "../tables.ts";
import type { JoinedSession } from "./joined-session.ts";
import type { Source } from "./source.ts";

const ALL: Readonly<Record<keyof SessionRow, true>> = {
  id: true,
  repoId: true,
  title: true,
  status: true,
  state: true,
  phase: true,
  phaseHistory: true,
  resumeReady: true,
  errorCount: true,
  errorTotal: true,
  lastError: true,
  lastErrorId: true,
  lastErrorAt: true,
  agentName: true,
  purpose: true,
  agentId: true,
  metadata: true,
  provider: true,
  model: true,
  lastProvider: true,
  lastModel: true,
  supportsResume: true,
  resumeData: true,
  delivery: true,
  queued: true,
  forkedFrom: true,
  failure: true,
  summary: true,
  createdAt: true,
  updatedAt: true,
  lastActiveAt: true,
  suspendedAt: true,
  suspendedReason: true,
  archivedAt: true,
  failedAt: true,
  finalizedAt: true,
  version: true,
  lastSeq: true,
  owner: true,
  epoch: true,
  setAside: true,
};
const COLUMNS = Object.keys(ALL);

/** Selects a session as one JSON text. SQLite returns it in half the time, and an unchanged row is recognized by one comparison. */
export function selectTexts({ db }: Pick<Source, "db">) {
  const values = [...COLUMNS.map((column) => `AgentSession.${column}`), "Repo.id"];
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

const known = keepNewest<string, { readonly text: string; readonly row: JoinedSession }>(500);

/** Returns the same row object for the same text. */
export function rowOfText({ id, text }: RowText): JoinedSession {
  const before = known.get(id);
  if (before?.text === text) return before.row;
  const values: unknown = JSON.parse(text);
  if (!Array.isArray(values)) throw new Error("unreachable: json_array returns an array");
  const entries = [...COLUMNS, "knownRepo"].map((column, index) => [column, values[index]]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- values are checked when the row is parsed
  const row = Object.fromEntries(entries) as JoinedSession;
  known.set(id, { text, row });
  return row;
}
