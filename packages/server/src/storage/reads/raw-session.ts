import { ARRIVING } from "../arrival.ts";
import { parseJson } from "../rows/parse.ts";
import { salvaged } from "../rows/salvage-session.ts";
import type { RawSession, UnreadableSessions } from "../raw-session.ts";
import type { SetAsideRow } from "../tables.ts";
import { rawRow, selectSessions } from "./found-session.ts";
import { loadSession } from "./load-session.ts";
import { readQueue, readRuns, readSuspensions } from "./plain-reads.ts";
import { readMessages } from "./read-messages.ts";
import type { Source } from "./source.ts";

/** Rows of a session that are shown; of more than these only the number. */
const SHOWN = 100;

/** The session's row as it is stored, and whatever of the session cannot be read. */
export async function readRaw(source: Source, sessionId: string): Promise<RawSession | null> {
  const found = await selectSessions(source)
    .where("AgentSession.id", "=", sessionId)
    .where("AgentSession.setAside", "<>", ARRIVING)
    .executeTakeFirst();
  if (found === undefined) return null;
  const bad = new Map<string, Omit<SetAsideRow, "at">>();
  const watched: Source = {
    ...source,
    report: (row) => {
      if (row.tableName !== "AgentSession") bad.set(`${row.tableName}/${row.rowId}`, row);
      source.report(row);
    },
  };
  const loaded = await loadSession(watched, sessionId);
  await readMessages(watched, { sessionId });
  await readRuns(watched, { sessionId, part: undefined });
  await readSuspensions(watched, { sessionId, part: undefined });
  await readQueue(watched, sessionId);
  const row = rawRow(found);
  const reason = loaded.found === "unreadable" ? loaded.reason : null;
  return {
    row: { ...row },
    reason,
    known: reason === null ? null : salvaged(row, reason),
    parts: [...bad.values()].slice(0, SHOWN).map((part) => ({
      table: part.tableName,
      id: part.rowId,
      reason: part.reason,
      row: parseJson("row", part.row),
    })),
    partCount: bad.size,
  };
}

/** Sessions that are set aside because they cannot be read, first made first. */
export async function unreadableSessions(
  { db }: Source,
  { limit }: { readonly limit: number },
): Promise<UnreadableSessions> {
  const unreadable = db.selectFrom("AgentSession").where("AgentSession.setAside", "=", 1);
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
