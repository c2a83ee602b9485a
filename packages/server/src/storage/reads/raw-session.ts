import { QUARANTINED, STAGED, type SessionRow, type SetAsideRow } from "../tables.ts";
import { parseJson, unlessUnreadable } from "../rows/parse.ts";
import { fromSessionRow } from "../rows/session-row.ts";
import type { SessionRecord } from "../ports/session-store.ts";
import type { RawSession, UnreadableSessions } from "../ports/quarantine-store.ts";
import { rawRow, selectSessions } from "./joined-session.ts";
import { loadSession } from "./load-session.ts";
import { readQueue, readRuns, readSuspensions } from "./plain-reads.ts";
import { readMessages } from "./read-messages.ts";
import { reportingTo, type Source } from "./source.ts";

/** Maximum number of unreadable rows returned. */
const MAX_PARTS = 100;

/** The stored row of a session and all its unreadable rows. */
export async function readRaw(source: Source, sessionId: string): Promise<RawSession | null> {
  const joined = await selectSessions(source)
    .where("AgentSession.id", "=", sessionId)
    .where("AgentSession.setAside", "<>", STAGED)
    .executeTakeFirst();
  if (joined === undefined) return null;
  const bad = new Map<string, Omit<SetAsideRow, "at">>();
  const watched = reportingTo(source, (row) => {
    if (row.tableName !== "AgentSession") bad.set(`${row.tableName}/${row.rowId}`, row);
    source.report(row);
  });
  const loaded = await loadSession(watched, sessionId);
  await readMessages(watched, { sessionId });
  await readRuns(watched, sessionId);
  await readSuspensions(watched, sessionId);
  await readQueue(watched, sessionId);
  const row = rawRow(joined);
  const reason = loaded.found === "unreadable" ? loaded.reason : null;
  return {
    row: { ...row },
    reason,
    known: reason === null ? null : salvaged(row, reason),
    parts: [...bad.values()].slice(0, MAX_PARTS).map((part) => ({
      table: part.tableName,
      id: part.rowId,
      reason: part.reason,
      row: parseJson("row", part.row),
    })),
    partCount: bad.size,
  };
}

export async function unreadableSessions(
  { db }: Source,
  { limit }: { readonly limit: number },
): Promise<UnreadableSessions> {
  const unreadable = db.selectFrom("AgentSession").where("AgentSession.setAside", "=", QUARANTINED);
  const { total } = await unreadable
    .select(({ fn }) => fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  const rows = await unreadable
    .leftJoin("SetAside", (join) =>
      join
        .on("SetAside.tableName", "=", "AgentSession")
        .onRef("SetAside.rowId", "=", "AgentSession.id"),
    )
    .select(["AgentSession.id", "SetAside.reason"])
    .orderBy("AgentSession.createdAt")
    .orderBy("AgentSession.id")
    .limit(limit)
    .execute();
  return {
    total: Number(total),
    sessions: rows.map(({ id, reason }) => ({ id, reason: reason ?? "" })),
  };
}

/** Substitutes for unreadable columns. The status precedes the state, which must be legal for it. */
const SUBSTITUTES = {
  status: "error",
  state: "idle",
  phase: "initializing",
  phaseHistory: "[]",
  metadata: "{}",
  resumeData: null,
  settings: null,
  delivery: "open",
  forkedFrom: null,
  createdAt: 0,
  updatedAt: 0,
  lastActiveAt: 0,
  lastTurnAt: 0,
  lastOutcome: null,
  lastLine: null,
  suspendedAt: null,
  suspendedReason: null,
  archivedAt: null,
  failedAt: null,
  finalizedAt: null,
} as const satisfies Partial<SessionRow>;

/** The readable part of an unreadable session. Its failure is the reason. */
function salvaged(row: SessionRow, reason: string): SessionRecord {
  let salvage: SessionRow = { ...row, ...SUBSTITUTES };
  for (const column of Object.keys(SUBSTITUTES)) {
    const candidate = { ...salvage, [column]: Reflect.get(row, column) };
    if (unlessUnreadable(() => fromSessionRow(candidate, [])) !== undefined) salvage = candidate;
  }
  const failure = `The session cannot be read: ${reason}.`;
  return { ...fromSessionRow({ ...salvage, failure }, []), removeAt: null };
}
