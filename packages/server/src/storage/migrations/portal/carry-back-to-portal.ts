import { sql, type Kysely } from "kysely";
import { sameJson } from "../../../domain/json.ts";
import { parseJson } from "../../rows/parse.ts";
import { upgraded, type MessageShape } from "../message-shapes.ts";
import type { MigrationContext } from "../migration-context.ts";
import {
  flagFrom,
  jsonText,
  readInBatches,
  sessionTimes,
  textOr,
  type PortalRow,
} from "./portal-rows.ts";
import { statusFromPortal, statusInPortal } from "./portal-status.ts";
import { openPortalTable } from "./portal-table.ts";

interface OurSession {
  readonly id: string;
  readonly repoId: string | null;
  readonly status: string;
  readonly supportsResume: number;
  readonly resumeData: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly lastActiveAt: number;
}

/**
 * Writes the changes since the migration into the restored tables: sessions with a repository, and their messages. The
 * portal has nothing else. Unchanged rows stay untouched.
 */
export async function carryBackToPortal(
  db: Kysely<unknown>,
  context: MigrationContext,
): Promise<void> {
  const repos = await addRepos(db, context);
  await removeDeletedSessions(db);
  const sessions = await carrySessions(db, { context, repos });
  await addMessages(db, { context, sessions });
}

/** Returns the ID of each repository in the portal: its own, or the ID of one with the same path. */
async function addRepos(
  db: Kysely<unknown>,
  { engine }: MigrationContext,
): Promise<ReadonlyMap<string, string>> {
  const ids = new Map<string, string>();
  const byPath = new Map<string, string>();
  await readInBatches(db, { table: "Repo", times: [], engine }, async (row) => {
    const id = String(row["id"]);
    ids.set(id, id);
    byPath.set(textOr(row["path"] ?? row["localPath"], id), id);
  });
  const portal = await openPortalTable(db, { table: "Repo", engine });
  const { rows } = await sql<{ id: string; name: string; path: string; createdAt: number }>`
    select "id", "name", "path", "createdAt" from "holdfast_Repo" order by "id"`.execute(db);
  for (const { id, name, path, createdAt } of rows) {
    if (ids.has(id)) continue;
    ids.set(id, byPath.get(path) ?? id);
    if (byPath.has(path)) continue;
    const at = new Date(createdAt);
    await portal.insert({ id, name, path, localPath: path, createdAt: at, updatedAt: at });
  }
  return ids;
}

/** All sessions of the portal were moved, so a missing one was deleted. */
async function removeDeletedSessions(db: Kysely<unknown>): Promise<void> {
  const remaining = sql`select "id" from "holdfast_AgentSession"`;
  await sql`delete from "AgentMessage" where "sessionId" in (select "id" from "AgentSession")
    and cast("sessionId" as text) not in (${remaining})`.execute(db);
  await sql`delete from "AgentSession" where cast("id" as text) not in (${remaining})`.execute(db);
}

/** Returns the IDs of the sessions that the portal has now. */
async function carrySessions(
  db: Kysely<unknown>,
  { context, repos }: { context: MigrationContext; repos: ReadonlyMap<string, string> },
): Promise<ReadonlySet<string>> {
  const { engine } = context;
  const ours = await ourSessions(db);
  const portal = await openPortalTable(db, { table: "AgentSession", engine });
  const times = ["createdAt", "updatedAt", "lastActiveAt"];
  const carried = new Set<string>();
  await readInBatches(db, { table: "AgentSession", times, engine }, async (row) => {
    const session = ours.get(String(row["id"]));
    if (session === undefined) throw new Error("unreachable: a deleted session still exists");
    carried.add(session.id);
    await portal.update({ id: session.id, ...changesOf(row, session) });
  });
  for (const {
    id,
    repoId,
    status,
    createdAt,
    updatedAt,
    lastActiveAt,
    ...resuming
  } of ours.values()) {
    if (repoId === null || carried.has(id)) continue;
    carried.add(id);
    await portal.insert({
      id,
      repoId: repos.get(repoId) ?? repoId,
      status: statusInPortal(status),
      createdAt: new Date(createdAt),
      updatedAt: new Date(updatedAt),
      lastActiveAt: new Date(lastActiveAt),
      ...resuming,
    });
  }
  return carried;
}

async function ourSessions(db: Kysely<unknown>): Promise<ReadonlyMap<string, OurSession>> {
  const { rows } = await sql<OurSession>`select "id", "repoId", "status", "supportsResume",
    cast("resumeData" as text) as "resumeData", "createdAt", "updatedAt", "lastActiveAt"
    from "holdfast_AgentSession" order by "createdAt", "id"`.execute(db);
  return new Map(rows.map((row) => [row.id, row]));
}

/** The columns that changed since the move. The others keep their exact form. */
function changesOf(row: PortalRow, session: OurSession) {
  const { status, updatedAt, lastActiveAt, supportsResume, resumeData } = session;
  const times = sessionTimes(row);
  return {
    ...(!isSameStatus(row, session) && { status: statusInPortal(status) }),
    ...(updatedAt !== times.updatedAt && { updatedAt: new Date(updatedAt) }),
    ...(lastActiveAt !== times.lastActiveAt && { lastActiveAt: new Date(lastActiveAt) }),
    ...(supportsResume !== flagFrom(row["supportsResume"]) && { supportsResume }),
    ...(!isSameText(resumeData, jsonText(row["resumeData"])) && { resumeData }),
  };
}

/** Whether both texts are the same JSON, regardless of white space. */
function isSameText(one: string | null, other: string | null): boolean {
  if (one === null || other === null) return one === other;
  return sameJson(parseJson("resumeData", one), parseJson("resumeData", other));
}

/** A stop or start of a server changes the status of an inactive session. That does not count as a change. */
function isSameStatus(row: PortalRow, { status, lastActiveAt }: OurSession): boolean {
  const before = statusFromPortal(row["status"]);
  const isAtWork = (name: string): boolean => name === "active" || name === "suspended";
  const isUntouched = lastActiveAt === sessionTimes(row).lastActiveAt;
  return status === before || (isUntouched && isAtWork(status) && isAtWork(before));
}

/** Adds new messages, incomplete ones with their text so far, and queued ones. */
async function addMessages(
  db: Kysely<unknown>,
  { context, sessions }: { context: MigrationContext; sessions: ReadonlySet<string> },
): Promise<void> {
  const { engine } = context;
  const { rows } = await sql<{ id: unknown }>`select "id" from "AgentMessage"`.execute(db);
  const existing = new Set(rows.map(({ id }) => String(id)));
  const portal = await openPortalTable(db, { table: "AgentMessage", engine });
  const add = async ({ id, sessionId, at, ...message }: Message): Promise<void> => {
    if (existing.has(id) || !sessions.has(sessionId)) return;
    existing.add(id);
    await portal.insert({ id, sessionId, ...message, timestamp: new Date(at) });
  };
  const orderBy = ["sessionId", "seq"];
  const source = { table: "holdfast_AgentMessage", times: [], orderBy, engine };
  await readInBatches(db, source, async (row) => {
    const message = {
      id: String(row["id"]),
      sessionId: String(row["sessionId"]),
      content: String(row["content"]),
    };
    const complete = row["complete"] === 1;
    const content = complete ? message.content : await grownContent(db, message);
    const shape = portalShape({ role: String(row["role"]), content }, complete);
    await add({ ...message, ...shape, at: Number(row["timestamp"]) });
  });
  const queue = await sql<Omit<Message, "role">>`select "messageId" as "id", "sessionId",
    cast("content" as text) as "content", "queuedAt" as "at"
    from "QueuedMessage" order by "sessionId", "position"`.execute(db);
  for (const queued of queue.rows) await add({ ...queued, role: "user" });
}

interface Message {
  readonly id: string;
  readonly sessionId: string;
  readonly role: string;
  readonly content: string;
  readonly at: number;
}

/** The portal had the form of 0010: plans and tool calls of the system, and texts of agents with `partial`. */
function portalShape(shape: MessageShape, complete: boolean): MessageShape {
  return shape.role === "agent" ? upgraded(shape, complete) : shape;
}

async function grownContent(
  db: Kysely<unknown>,
  { id, sessionId, content }: Pick<Message, "id" | "sessionId" | "content">,
): Promise<string> {
  const { rows } = await sql<{ data: string | null }>`select "data" from "SessionEvent"
    where "sessionId" = ${sessionId} and "messageId" = ${id} and "kind" = 'delta' order by "seq"`.execute(
    db,
  );
  const parsed: { text?: unknown } = JSON.parse(content);
  if (rows.length === 0) return content;
  const start = typeof parsed.text === "string" ? parsed.text : "";
  return JSON.stringify({
    ...parsed,
    text: start + rows.map(({ data }) => data ?? "").join(""),
  });
}
