import { isDeepStrictEqual } from "node:util";
import type { SessionEvent } from "../../packages/server/src/domain/kernel/event.ts";
import { authorOf, ROLES, type Role } from "../../packages/server/src/domain/message.ts";
import { evolve } from "../../packages/server/src/domain/kernel/evolve.ts";
import type { Session } from "../../packages/server/src/domain/session.ts";
import { openStore } from "../../packages/server/src/storage/open-store.ts";
import type { Store } from "../../packages/server/src/storage/store.ts";
import { openRaw } from "../../packages/server/src/storage/testing/raw-database.ts";
import type { ClusterNode } from "./cluster-node.ts";
import type { Stored, StoredSession } from "./history.ts";

/** Reads the tables without the server's code, and the same sessions through a node. */
export async function readStored(
  databaseUrl: string,
  {
    sessions,
    by,
  }: {
    readonly sessions: readonly { readonly id: string; readonly repo: string }[];
    readonly by: ClusterNode;
  },
): Promise<Stored> {
  const raw = await openRaw({ engine: "postgres", url: databaseUrl });
  const store = await openStore({ engine: "postgres", url: databaseUrl }, { clock: Date.now });
  try {
    const stored: StoredSession[] = [];
    for (const { id, repo } of sessions) {
      const final = await by.client.sessions.get(id);
      stored.push({
        ...(await readTables((statement) => raw.all(statement.replaceAll("$1", `'${id}'`)))),
        id,
        repo,
        final,
        difference: await replayDifference(store, id),
      });
    }
    return { sessions: stored };
  } finally {
    await store.close();
    await raw.close();
  }
}

/** Runs that started before this time and whose status is still `running`. */
export async function runsLeftFrom(
  databaseUrl: string,
  { sessions, before }: { readonly sessions: readonly { readonly id: string }[]; before: number },
): Promise<readonly string[]> {
  const raw = await openRaw({ engine: "postgres", url: databaseUrl });
  try {
    const ids = sessions.map(({ id }) => `'${id}'`).join(", ");
    const rows = await raw.all(
      `select "id" from "Run" where "status" = 'running' and "startedAt" < ${before} and "sessionId" in (${ids})`,
    );
    return rows.map(({ id }) => String(id));
  } finally {
    await raw.close();
  }
}

/** Reads the rows of the session whose ID `query` inserts for `$1`. */
export async function readTables(
  query: (statement: string) => Promise<readonly Readonly<Record<string, unknown>>[]>,
): Promise<Pick<StoredSession, "owner" | "lastSeq" | "messages" | "runs" | "log">> {
  const [row] = await query(`select "owner", "lastSeq" from "AgentSession" where "id" = $1`);
  const messages = await query(
    `select * from "AgentMessage" where "sessionId" = $1 order by "seq", "id"`,
  );
  const runs = await query(`select * from "Run" where "sessionId" = $1 order by "queuedAt", "id"`);
  const log = await query(`select * from "SessionEvent" where "sessionId" = $1 order by "seq"`);
  return {
    owner: textOrNull(row?.["owner"]),
    lastSeq: Number(row?.["lastSeq"]),
    messages: messages.map((message) => ({
      id: String(message["id"]),
      runId: textOrNull(message["runId"]),
      seq: Number(message["seq"]),
      author: authorIn(message),
      text: textIn(message["content"]),
      complete: Number(message["complete"]) === 1,
    })),
    runs: runs.map((run) => ({
      id: String(run["id"]),
      messageId: String(run["messageId"]),
      status: String(run["status"]),
      attempts: Number(run["attempts"]),
      startedAt: numberOrNull(run["startedAt"]),
      endedAt: numberOrNull(run["endedAt"]),
    })),
    log: log.map((entry) => ({
      seq: Number(entry["seq"]),
      kind: String(entry["kind"]),
      messageId: textOrNull(entry["messageId"]),
      ...(entry["kind"] === "event" ? eventIn(entry["data"]) : { type: null, runId: null }),
    })),
  };
}

/** The difference between the replayed log and the row, or null. */
async function replayDifference(store: Store, sessionId: string): Promise<string | null> {
  const loaded = await store.load(sessionId);
  if (loaded.found !== "session") return `the session cannot be loaded: ${loaded.found}`;
  let replayed: Session | null = null;
  let after = 0;
  for (;;) {
    const entries = await store.readEvents({ sessionId, after, limit: 1_000 });
    const last = entries.at(-1);
    if (last === undefined) break;
    for (const entry of entries) {
      const event: SessionEvent =
        entry.kind === "event" ? entry.event : { type: "output.appended", at: entry.at };
      replayed = evolve(replayed, event);
    }
    after = last.seq;
  }
  const { session } = loaded.stored;
  // The log of messages is compacted and includes notices, so it lacks the exact time of the agent's last output.
  const { lastActiveAt, updatedAt } = session;
  if (replayed !== null && isDeepStrictEqual({ ...replayed, lastActiveAt, updatedAt }, session))
    return null;
  return `the log replays to ${JSON.stringify(replayed)}, the row contains ${JSON.stringify(session)}`;
}

function eventIn(data: unknown): { type: string | null; runId: string | null } {
  const event: unknown = typeof data === "string" ? JSON.parse(data) : data;
  if (typeof event !== "object" || event === null) return { type: null, runId: null };
  const run = "run" in event && typeof event.run === "object" ? event.run : null;
  return {
    type: "type" in event ? String(event.type) : null,
    runId:
      "runId" in event ? String(event.runId) : run !== null && "id" in run ? String(run.id) : null,
  };
}

function textIn(content: unknown): string {
  const { text } = fieldsOf(content);
  return typeof text === "string" ? text : "";
}

function authorIn(message: Readonly<Record<string, unknown>>): Role {
  const role = ROLES.find((each) => each === message["role"]);
  if (role === undefined) throw new Error(`unknown role ${String(message["role"])}`);
  return authorOf({ role, content: { type: String(fieldsOf(message["content"])["type"]) } });
}

function fieldsOf(content: unknown): Readonly<Record<string, unknown>> {
  const value: unknown = typeof content === "string" ? JSON.parse(content) : content;
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function numberOrNull(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value);
}
