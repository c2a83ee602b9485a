import { sql, type Kysely } from "kysely";
import type { JsonObject } from "../../../domain/json.ts";
import { contentOf } from "../message-shapes.ts";
import type { MigrationContext } from "../migration-context.ts";
import {
  flagFrom,
  jsonText,
  readInBatches,
  sessionTimes,
  textOr,
  timeFrom,
  type PortalRow,
} from "./portal-rows.ts";
import { statusFromPortal, type MovedStatus } from "./portal-status.ts";

const FAILURE = "failed in the portal";

type PortalEvent = JsonObject & { readonly type: string; readonly at: number };

interface MovedSession {
  readonly createdAt: number;
  lastSeq: number;
}

/** Copies the portal's rows into the new tables. Rows whose repository or session is missing are quarantined. */
export async function moveFromPortal(
  db: Kysely<unknown>,
  context: MigrationContext,
): Promise<void> {
  const repos = await moveRepos(db, context);
  const sessions = await moveSessions(db, { context, repos });
  context.failpoint("migrate.portal.sessions");
  await moveMessages(db, { context, sessions });
  context.failpoint("migrate.portal.messages");
}

/** Returns the new ID of each repository. Repositories with the same path become one, with the ID of the first. */
async function moveRepos(
  db: Kysely<unknown>,
  { engine }: MigrationContext,
): Promise<ReadonlyMap<string, string>> {
  const ids = new Map<string, string>();
  const byPath = new Map<string, string>();
  const source = { table: "portal_Repo", times: ["createdAt"], engine };
  await readInBatches(db, source, async (row) => {
    const id = String(row["id"]);
    const path = textOr(row["path"] ?? row["localPath"], id);
    const first = byPath.get(path);
    ids.set(id, first ?? id);
    if (first !== undefined) return quarantine(db, "Repo", id, `its path is that of ${first}`, row);
    byPath.set(path, id);
    const name = textOr(row["name"], path.split("/").at(-1) ?? path);
    await sql`insert into "Repo" ("id", "path", "name", "createdAt")
      values (${id}, ${path}, ${name}, ${timeFrom(row["createdAt"], 0)})`.execute(db);
  });
  return ids;
}

async function moveSessions(
  db: Kysely<unknown>,
  { context, repos }: { context: MigrationContext; repos: ReadonlyMap<string, string> },
): Promise<ReadonlyMap<string, MovedSession>> {
  const { engine } = context;
  const sessions = new Map<string, MovedSession>();
  const times = ["createdAt", "updatedAt", "lastActiveAt"];
  await readInBatches(db, { table: "portal_AgentSession", times, engine }, async (row) => {
    const id = String(row["id"]);
    const status = statusFromPortal(row["status"]);
    const { createdAt, updatedAt, lastActiveAt } = sessionTimes(row);
    const repoId = repos.get(String(row["repoId"])) ?? null;
    const supportsResume = flagFrom(row["supportsResume"]);
    const resumeData = jsonText(row["resumeData"]);
    const events = sessionEvents({
      id,
      repoId,
      status,
      createdAt,
      updatedAt,
      lastActiveAt,
      supportsResume: supportsResume === 1,
      resumeData: resumeData === null ? null : JSON.parse(resumeData),
    });
    await sql`insert into "AgentSession" ("id", "repoId", "status", "state", "phase", "phaseHistory",
        "resumeReady", "errorCount", "metadata", "supportsResume", "resumeData", "delivery", "queued",
        "failure", "createdAt", "updatedAt", "lastActiveAt", "archivedAt", "failedAt", "version", "lastSeq")
      values (${id}, ${repoId}, ${status}, 'idle', 'initializing', '[]', 0, 0, '{}',
        ${supportsResume}, ${resumeData}, 'open', 0, ${status === "error" ? FAILURE : null},
        ${createdAt}, ${updatedAt}, ${lastActiveAt}, ${status === "archived" ? updatedAt : null},
        ${status === "error" ? updatedAt : null}, 1, ${events.length})`.execute(db);
    for (const [index, event] of events.entries()) {
      await sql`insert into "SessionEvent" ("sessionId", "seq", "at", "kind", "data")
        values (${id}, ${index + 1}, ${event.at}, 'event', ${JSON.stringify(event)})`.execute(db);
    }
    if (repoId === null)
      await quarantine(db, "AgentSession", `portal:${id}`, "its repository does not exist", row);
    sessions.set(id, { createdAt, lastSeq: events.length });
  });
  return sessions;
}

/** The log that produces the row above. */
function sessionEvents(session: {
  id: string;
  repoId: string | null;
  status: MovedStatus;
  createdAt: number;
  updatedAt: number;
  lastActiveAt: number;
  supportsResume: boolean;
  resumeData: JsonObject[string];
}): PortalEvent[] {
  const { id, repoId, status, createdAt, updatedAt, lastActiveAt, supportsResume, resumeData } =
    session;
  const names = { title: null, provider: null, model: null, agentName: null, purpose: null };
  const created = { id, repoId, ...names, metadata: {}, forkedFrom: null };
  const events: PortalEvent[] = [{ type: "session.created", at: createdAt, ...created }];
  if (supportsResume || resumeData !== null) {
    events.push({ type: "resume.recorded", at: lastActiveAt, supportsResume, resumeData });
  } else if (lastActiveAt > createdAt) {
    events.push({ type: "output.appended", at: lastActiveAt });
  }
  if (status === "archived") events.push({ type: "session.archived", at: updatedAt });
  if (status === "suspended")
    events.push({ type: "session.suspended", at: updatedAt, cause: "crash" });
  if (status === "error") events.push({ type: "session.failed", at: updatedAt, reason: FAILURE });
  return events;
}

async function moveMessages(
  db: Kysely<unknown>,
  { context, sessions }: { context: MigrationContext; sessions: ReadonlyMap<string, MovedSession> },
): Promise<void> {
  const { engine, failpoint } = context;
  const source = { table: "portal_AgentMessage", times: ["timestamp"], engine };
  let isFirst = true;
  await readInBatches(db, { ...source, orderBy: ["sessionId", "timestamp", "id"] }, async (row) => {
    const id = String(row["id"]);
    const sessionId = String(row["sessionId"]);
    const session = sessions.get(sessionId);
    if (session === undefined)
      return quarantine(db, "AgentMessage", id, "its session does not exist", row);
    session.lastSeq += 1;
    const at = timeFrom(row["timestamp"], session.createdAt);
    const role = ["user", "agent", "system"].includes(String(row["role"]))
      ? String(row["role"])
      : "system";
    await sql`insert into "AgentMessage" ("id", "sessionId", "seq", "role", "content", "complete", "timestamp")
      values (${id}, ${sessionId}, ${session.lastSeq}, ${role}, ${contentFrom(row["content"])}, 1, ${at})`.execute(
      db,
    );
    await sql`insert into "SessionEvent" ("sessionId", "seq", "at", "kind", "messageId")
      values (${sessionId}, ${session.lastSeq}, ${at}, 'message', ${id})`.execute(db);
    if (isFirst) failpoint("migrate.portal.copying");
    isFirst = false;
  });
  for (const [id, { lastSeq }] of sessions) {
    await sql`update "AgentSession" set "lastSeq" = ${lastSeq} where "id" = ${id}`.execute(db);
  }
}

function contentFrom(content: unknown): string {
  const text = typeof content === "string" ? content : JSON.stringify(content ?? null);
  return contentOf(text) === null ? JSON.stringify({ type: "text", text }) : text;
}

async function quarantine(
  db: Kysely<unknown>,
  table: string,
  rowId: string,
  reason: string,
  row: PortalRow,
): Promise<void> {
  await sql`insert into "SetAside" ("tableName", "rowId", "reason", "row", "at")
    values (${table}, ${rowId}, ${reason}, ${JSON.stringify(row)}, 0)`.execute(db);
}
