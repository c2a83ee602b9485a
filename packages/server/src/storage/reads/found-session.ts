import { UnreadableRow } from "../rows/parse.ts";
import { prepared } from "../prepared.ts";
import { toSuspension } from "../rows/run-row.ts";
import { fromSessionRow } from "../rows/session-row.ts";
import type { SessionRecord } from "../store.ts";
import type { SessionRow, SuspensionRow } from "../tables.ts";
import { required, type Source } from "./source.ts";

/** A session's row, and whether the repository it names exists. */
export type FoundSession = SessionRow & { readonly knownRepo: string | null };

export type OpenSuspensions = ReadonlyMap<string, readonly SuspensionRow[]>;

export function selectSessions({ db }: Pick<Source, "db">) {
  return db
    .selectFrom("AgentSession")
    .leftJoin("Repo", "Repo.id", "AgentSession.repoId")
    .selectAll("AgentSession")
    .select("Repo.id as knownRepo");
}

/** As it is in its table. */
export function rawRow({ knownRepo: _, ...row }: FoundSession): SessionRow {
  return row;
}

/** Throws `UnreadableRow` when the row, or what the session waits for, cannot be. */
export function toRecord(
  source: Source,
  found: FoundSession,
  open: OpenSuspensions,
): SessionRecord {
  if (found.repoId !== null && found.knownRepo === null) {
    throw new UnreadableRow(`its repository ${found.repoId} does not exist`);
  }
  const suspensions = required(open.get(found.id) ?? [], {
    source,
    table: "Suspension",
    idOf: (row) => row.id,
    read: toSuspension,
  });
  return suspensions.length > 0
    ? withRemoval(source, fromSessionRow(found, suspensions))
    : recordOf(source, found);
}

/** What was made of a row; lists give the same row again while nothing in it is new. */
const records = new WeakMap<FoundSession, SessionRecord>();

function recordOf(source: Source, row: FoundSession): SessionRecord {
  const known = records.get(row);
  if (known !== undefined) return known;
  const record = withRemoval(source, fromSessionRow(row, []));
  records.set(row, record);
  return record;
}

function withRemoval({ removeAt }: Source, record: Omit<SessionRecord, "removeAt">): SessionRecord {
  const isResumable = record.supportsResume || record.suspensions.length > 0 || record.queued > 0;
  return { ...record, removeAt: removeAt({ ...record, isResumable }) };
}

/** By session, oldest first. */
export async function openSuspensionRows(
  source: Source,
  sessions: readonly FoundSession[],
): Promise<OpenSuspensions> {
  const waiting = sessions.filter(({ state }) => state === "suspended").map(({ id }) => id);
  const [sessionId] = waiting;
  if (sessionId === undefined) return new Map();
  if (waiting.length === 1) return new Map([[sessionId, await openOf(source, { sessionId })]]);
  const rows = await source.db
    .selectFrom("Suspension")
    .selectAll()
    .where("sessionId", "in", waiting)
    .where("status", "=", "open")
    .orderBy("createdAt")
    .orderBy("id")
    .execute();
  return Map.groupBy(rows, ({ sessionId }) => sessionId);
}

const openOf = prepared(({ db }, { sessionId }: { sessionId: string }) =>
  db
    .selectFrom("Suspension")
    .selectAll()
    .where("sessionId", "=", sessionId)
    .where("status", "=", "open")
    .orderBy("createdAt")
    .orderBy("id"),
);
