import { UnreadableRow } from "../rows/parse.ts";
import { written } from "../prepared.ts";
import { toSuspension } from "../rows/run-row.ts";
import { fromSessionRow } from "../rows/session-row.ts";
import type { SessionRecord } from "../ports/session-store.ts";
import type { SessionRow, SuspensionRow } from "../tables.ts";
import { required, type Source } from "./source.ts";

/** A session's row, and whether the repository it names exists. */
export type JoinedSession = SessionRow & { readonly knownRepo: string | null };

export type OpenSuspensions = ReadonlyMap<string, readonly SuspensionRow[]>;

export function selectSessions({ db }: Pick<Source, "db">) {
  return db
    .selectFrom("AgentSession")
    .leftJoin("Repo", "Repo.id", "AgentSession.repoId")
    .selectAll("AgentSession")
    .select("Repo.id as knownRepo");
}

/** The row as its table holds it. */
export function rawRow({ knownRepo: _, ...row }: JoinedSession): SessionRow {
  return row;
}

/** Throws `UnreadableRow` when the row or an open suspension is unreadable. */
export function toRecord(source: Source, row: JoinedSession, open: OpenSuspensions): SessionRecord {
  if (row.repoId !== null && row.knownRepo === null)
    throw new UnreadableRow(`its repository ${row.repoId} does not exist`);
  const suspensions = required(source, "Suspension", open.get(row.id) ?? [], toSuspension);
  return suspensions.length > 0
    ? withRemoval(source, fromSessionRow(row, suspensions))
    : recordOf(source, row);
}

/** Parsed rows. Lists return the same row object while it is unchanged. */
const records = new WeakMap<JoinedSession, SessionRecord>();

function recordOf(source: Source, row: JoinedSession): SessionRecord {
  const cached = records.get(row);
  if (cached !== undefined) return cached;
  const record = withRemoval(source, fromSessionRow(row, []));
  records.set(row, record);
  return record;
}

export function withRemoval(
  { removeAt }: Pick<Source, "removeAt">,
  record: Omit<SessionRecord, "removeAt">,
): SessionRecord {
  const isResumable = record.supportsResume || record.suspensions.length > 0 || record.queued > 0;
  return { ...record, removeAt: removeAt({ ...record, isResumable }) };
}

/** By session, oldest first. */
export async function openSuspensionRows(
  source: Source,
  sessions: readonly JoinedSession[],
): Promise<OpenSuspensions> {
  const waiting = sessions.filter(({ state }) => state === "suspended").map(({ id }) => id);
  const [sessionId] = waiting;
  if (sessionId === undefined) return new Map();
  if (waiting.length === 1) return new Map([[sessionId, await openOf(source, { sessionId })]]);
  const open = source.db.selectFrom("Suspension").selectAll().where("status", "=", "open");
  const rows = await open
    .where("sessionId", "in", waiting)
    .orderBy("createdAt")
    .orderBy("id")
    .execute();
  return Map.groupBy(rows, ({ sessionId }) => sessionId);
}

const openOf = written<{ sessionId: string }, SuspensionRow>(
  `select * from "Suspension" where "status" = 'open' and "sessionId" = ?
    order by "createdAt", "id"`,
  ["sessionId"],
);
