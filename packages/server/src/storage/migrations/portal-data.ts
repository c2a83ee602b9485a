import { sql, type Kysely } from "kysely";
import type { JsonObject } from "../../domain/json.ts";
import type { MigrationContext } from "./migrations.ts";
import { jsonOr, portalColumns, readInBatches, textOr, timeFrom, timeWriter } from "./portal-rows.ts";

/** Ruling on the five old statuses: users can always go on, and only users put away. */
function statusFromPortal(status: unknown): "active" | "suspended" | "archived" | "error" {
  switch (status) {
    case "cancelled":
    case "archived":
      return "archived";
    case "suspended":
      return "suspended";
    case "error":
      return "error";
    default:
      return "active";
  }
}

const STATUS_IN_PORTAL: Readonly<Record<string, string>> = {
  active: "active",
  suspended: "suspended",
  archived: "cancelled",
  error: "error",
};

type PortalRow = Readonly<Record<string, unknown>>;
type PortalEvent = JsonObject & { readonly type: string; readonly at: number };

/** Copies the portal's rows into the new tables; returns how many there were. */
export async function moveFromPortal(db: Kysely<unknown>, context: MigrationContext): Promise<number> {
  const repos = await moveRepos(db, context);
  const sessions = await moveSessions(db, { context, repos: repos.ids });
  context.failpoint("migrate.portal.sessions");
  const messages = await moveMessages(db, { context, sessions });
  context.failpoint("migrate.portal.messages");
  return repos.count + sessions.size + messages;
}

async function moveRepos(db: Kysely<unknown>, { engine }: MigrationContext): Promise<{ ids: Set<string>; count: number }> {
  const columns = await portalColumns(db, "portal_Repo");
  const ids = new Set<string>();
  const paths = new Set<string>();
  await readInBatches<PortalRow>(db, { table: "portal_Repo", columns, times: ["createdAt"], engine }, async (row) => {
    const id = String(row["id"]);
    const wanted = textOr(row["path"] ?? row["localPath"], id);
    const path = paths.has(wanted) ? `${wanted}#${id}` : wanted;
    const name = textOr(row["name"], path.split("/").at(-1) ?? path);
    await sql`insert into "Repo" ("id", "path", "name", "createdAt")
      values (${id}, ${path}, ${name}, ${timeFrom(row["createdAt"], 0)})`.execute(db);
    ids.add(id);
    paths.add(path);
  });
  return { ids, count: ids.size };
}

async function moveSessions(
  db: Kysely<unknown>,
  { context, repos }: { context: MigrationContext; repos: ReadonlySet<string> },
): Promise<Map<string, number>> {
  const { engine } = context;
  const columns = await portalColumns(db, "portal_AgentSession");
  const created = new Map<string, number>();
  const times = ["createdAt", "updatedAt", "lastActiveAt"];
  await readInBatches<PortalRow>(db, { table: "portal_AgentSession", columns, times, engine }, async (row) => {
    const id = String(row["id"]);
    const createdAt = timeFrom(row["createdAt"], 0);
    const updatedAt = Math.max(createdAt, timeFrom(row["updatedAt"], createdAt));
    const lastActiveAt = Math.min(updatedAt, timeFrom(row["lastActiveAt"], updatedAt));
    const status = statusFromPortal(row["status"]);
    const repoId = repos.has(String(row["repoId"])) ? String(row["repoId"]) : null;
    const failure = status === "error" ? "failed in the portal" : null;
    const resumeData = jsonOr(row["resumeData"], null);
    const events = sessionEvents({ id, repoId, status, createdAt, updatedAt, lastActiveAt });
    await sql`insert into "AgentSession" ("id", "repoId", "status", "state", "phase", "phaseHistory",
        "resumeReady", "errorCount", "metadata", "supportsResume", "resumeData", "delivery", "queued",
        "failure", "createdAt", "updatedAt", "lastActiveAt", "archivedAt", "failedAt", "version", "lastSeq")
      values (${id}, ${repoId}, ${status}, 'idle', 'initializing', '[]', 0, 0, '{}',
        ${isTrue(row["supportsResume"]) ? 1 : 0}, ${resumeData}, 'open', 0, ${failure}, ${createdAt},
        ${updatedAt}, ${lastActiveAt}, ${status === "archived" ? updatedAt : null},
        ${status === "error" ? updatedAt : null}, 1, ${events.length})`.execute(db);
    for (const [index, event] of events.entries()) {
      await sql`insert into "SessionEvent" ("sessionId", "seq", "at", "kind", "data")
        values (${id}, ${index + 1}, ${event.at}, 'event', ${JSON.stringify(event)})`.execute(db);
    }
    if (repoId === null) {
      await setAside(db, { table: "AgentSession", rowId: `portal:${id}`, reason: "its repository does not exist", row });
    }
    created.set(id, createdAt);
  });
  return created;
}

/** What the log must say for the session to fold to the row above. */
function sessionEvents(session: {
  id: string;
  repoId: string | null;
  status: "active" | "suspended" | "archived" | "error";
  createdAt: number;
  updatedAt: number;
  lastActiveAt: number;
}): PortalEvent[] {
  const { id, repoId, status, createdAt, updatedAt, lastActiveAt } = session;
  const given = { title: null, provider: null, model: null, agentName: null, purpose: null };
  const events: PortalEvent[] = [
    { type: "session.created", at: createdAt, id, repoId, ...given, metadata: {}, forkedFrom: null },
  ];
  if (lastActiveAt > createdAt) events.push({ type: "output.appended", at: lastActiveAt });
  if (status === "archived") events.push({ type: "session.archived", at: updatedAt });
  if (status === "suspended") events.push({ type: "session.suspended", at: updatedAt, cause: "crash" });
  if (status === "error") events.push({ type: "session.failed", at: updatedAt, reason: "failed in the portal" });
  return events;
}

async function moveMessages(
  db: Kysely<unknown>,
  { context, sessions }: { context: MigrationContext; sessions: ReadonlyMap<string, number> },
): Promise<number> {
  const { engine, failpoint } = context;
  const columns = await portalColumns(db, "portal_AgentMessage");
  let count = 0;
  const source = { table: "portal_AgentMessage", columns, times: ["timestamp"], engine };
  await readInBatches<PortalRow>(db, { ...source, orderBy: ["sessionId", "timestamp", "id"] }, async (row) => {
    count += 1;
    const id = String(row["id"]);
    const sessionId = String(row["sessionId"]);
    const createdAt = sessions.get(sessionId);
    if (createdAt === undefined) {
      await setAside(db, { table: "AgentMessage", rowId: id, reason: "its session does not exist", row });
      return;
    }
    const at = timeFrom(row["timestamp"], createdAt);
    const role = ["user", "agent", "system"].includes(String(row["role"])) ? String(row["role"]) : "system";
    const { rows } = await sql<{ lastSeq: number }>`update "AgentSession" set "lastSeq" = "lastSeq" + 1
      where "id" = ${sessionId} returning "lastSeq"`.execute(db);
    const seq = rows[0]?.lastSeq ?? 0;
    await sql`insert into "AgentMessage" ("id", "sessionId", "seq", "role", "content", "complete", "timestamp")
      values (${id}, ${sessionId}, ${seq}, ${role}, ${contentFrom(row["content"])}, 1, ${at})`.execute(db);
    await sql`insert into "SessionEvent" ("sessionId", "seq", "at", "kind", "messageId")
      values (${sessionId}, ${seq}, ${at}, 'message', ${id})`.execute(db);
    if (count === 1) failpoint("migrate.portal.copying");
  });
  return count;
}

function contentFrom(content: unknown): string {
  const text = typeof content === "string" ? content : JSON.stringify(content ?? null);
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === "object" && parsed !== null && "type" in parsed) return text;
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

/** Brings what happened since into the restored tables, as far as the portal knew such things. */
export async function carryBackToPortal(db: Kysely<unknown>, { engine }: MigrationContext): Promise<void> {
  const time = timeWriter(engine);
  await sql`insert into "Repo" ("id", "name", "path", "createdAt", "updatedAt")
    select "id", "name", "path", ${time("createdAt")}, ${time("createdAt")} from "holdfast_Repo"
    where "id" not in (select "id" from "Repo")`.execute(db);
  await sql`delete from "AgentMessage" where "sessionId" in (select "id" from "AgentSession")
    and "sessionId" not in (select "id" from "holdfast_AgentSession")`.execute(db);
  await sql`delete from "AgentSession" where "id" not in (select "id" from "holdfast_AgentSession")`.execute(db);
  await sql`insert into "AgentSession" ("id", "repoId", "status", "createdAt", "updatedAt")
    select "id", "repoId", ${portalStatus()}, ${time("createdAt")}, ${time("updatedAt")} from "holdfast_AgentSession"
    where "repoId" is not null and "id" not in (select "id" from "AgentSession")`.execute(db);
  await restoreChangedStatuses(db);
  await sql`insert into "AgentMessage" ("id", "sessionId", "role", "content", "timestamp")
    select "id", "sessionId", "role", cast("content" as text), ${time("timestamp")} from "holdfast_AgentMessage"
    where "id" not in (select "id" from "AgentMessage")
      and "sessionId" in (select "id" from "AgentSession")`.execute(db);
}

function portalStatus() {
  const arms = Object.entries(STATUS_IN_PORTAL).map(([ours, theirs]) => sql`when ${sql.lit(ours)} then ${sql.lit(theirs)}`);
  return sql`case "status" ${sql.join(arms, sql` `)} end`;
}

async function restoreChangedStatuses(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ id: string; portal: string; ours: string }>`
    select p."id", p."status" as "portal", h."status" as "ours"
    from "AgentSession" p join "holdfast_AgentSession" h on h."id" = p."id"`.execute(db);
  for (const { id, portal, ours } of rows) {
    if (statusFromPortal(portal) === ours) continue;
    await sql`update "AgentSession" set "status" = ${STATUS_IN_PORTAL[ours]} where "id" = ${id}`.execute(db);
  }
}

function isTrue(value: unknown): boolean {
  return value === true || value === 1;
}
