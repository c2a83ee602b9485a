import { sql, type Kysely } from "kysely";
import type { JsonObject } from "../../../domain/json.ts";
import type { MigrationContext } from "../migrations.ts";
import {
  flagFrom,
  jsonOr,
  portalColumns,
  readInBatches,
  sessionTimes,
  textOr,
  timeFrom,
  type PortalRow,
} from "./portal-rows.ts";
import { statusFromPortal, type MovedStatus } from "./portal-status.ts";

const FAILURE = "failed in the portal";

type PortalEvent = JsonObject & { readonly type: string; readonly at: number };

interface Moved {
  readonly createdAt: number;
  lastSeq: number;
}

/** Copies the portal's rows into the new tables. What has lost what it belongs to is set aside, whole. */
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

/** Returns under which id each repository is found now: of several with one path the first stands for all. */
async function moveRepos(
  db: Kysely<unknown>,
  { engine }: MigrationContext,
): Promise<ReadonlyMap<string, string>> {
  const columns = await portalColumns(db, "portal_Repo");
  const ids = new Map<string, string>();
  const byPath = new Map<string, string>();
  await readInBatches(
    db,
    { table: "portal_Repo", columns, times: ["createdAt"], engine },
    async (row) => {
      const id = String(row["id"]);
      const path = textOr(row["path"] ?? row["localPath"], id);
      const known = byPath.get(path);
      ids.set(id, known ?? id);
      if (known !== undefined) {
        await setAside(db, {
          table: "Repo",
          rowId: id,
          reason: `its path is that of ${known}`,
          row,
        });
        return;
      }
      byPath.set(path, id);
      const name = textOr(row["name"], path.split("/").at(-1) ?? path);
      await sql`insert into "Repo" ("id", "path", "name", "createdAt")
      values (${id}, ${path}, ${name}, ${timeFrom(row["createdAt"], 0)})`.execute(db);
    },
  );
  return ids;
}

async function moveSessions(
  db: Kysely<unknown>,
  { context, repos }: { context: MigrationContext; repos: ReadonlyMap<string, string> },
): Promise<ReadonlyMap<string, Moved>> {
  const { engine } = context;
  const columns = await portalColumns(db, "portal_AgentSession");
  const moved = new Map<string, Moved>();
  const times = ["createdAt", "updatedAt", "lastActiveAt"];
  await readInBatches(db, { table: "portal_AgentSession", columns, times, engine }, async (row) => {
    const id = String(row["id"]);
    const status = statusFromPortal(row["status"]);
    const { createdAt, updatedAt, lastActiveAt } = sessionTimes(row);
    const repoId = repos.get(String(row["repoId"])) ?? null;
    const supportsResume = flagFrom(row["supportsResume"]);
    const resumeData = jsonOr(row["resumeData"], null);
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
    if (repoId === null) {
      await setAside(db, {
        table: "AgentSession",
        rowId: `portal:${id}`,
        reason: "its repository does not exist",
        row,
      });
    }
    moved.set(id, { createdAt, lastSeq: events.length });
  });
  return moved;
}

/** What the log must say for the session to fold to the row above. */
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
  const given = { title: null, provider: null, model: null, agentName: null, purpose: null };
  const events: PortalEvent[] = [
    {
      type: "session.created",
      at: createdAt,
      id,
      repoId,
      ...given,
      metadata: {},
      forkedFrom: null,
    },
  ];
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
  { context, sessions }: { context: MigrationContext; sessions: ReadonlyMap<string, Moved> },
): Promise<void> {
  const { engine, failpoint } = context;
  const columns = await portalColumns(db, "portal_AgentMessage");
  const source = { table: "portal_AgentMessage", columns, times: ["timestamp"], engine };
  let reached = false;
  await readInBatches(db, { ...source, orderBy: ["sessionId", "timestamp", "id"] }, async (row) => {
    const id = String(row["id"]);
    const sessionId = String(row["sessionId"]);
    const session = sessions.get(sessionId);
    if (session === undefined) {
      await setAside(db, {
        table: "AgentMessage",
        rowId: id,
        reason: "its session does not exist",
        row,
      });
      return;
    }
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
    if (!reached) failpoint("migrate.portal.copying");
    reached = true;
  });
  for (const [id, { lastSeq }] of sessions) {
    await sql`update "AgentSession" set "lastSeq" = ${lastSeq} where "id" = ${id}`.execute(db);
  }
}

function contentFrom(content: unknown): string {
  const text = typeof content === "string" ? content : JSON.stringify(content ?? null);
  try {
    const parsed: unknown = JSON.parse(text);
    if (
      typeof parsed === "object" &&
      parsed !== null &&
      "type" in parsed &&
      typeof parsed.type === "string"
    )
      return text;
  } catch {
    // Not JSON: what it says is kept as text.
  }
  return JSON.stringify({ type: "text", text });
}

async function setAside(
  db: Kysely<unknown>,
  { table, rowId, reason, row }: { table: string; rowId: string; reason: string; row: PortalRow },
): Promise<void> {
  await sql`insert into "SetAside" ("tableName", "rowId", "reason", "row", "at")
    values (${table}, ${rowId}, ${reason}, ${JSON.stringify(row)}, 0)`.execute(db);
}
