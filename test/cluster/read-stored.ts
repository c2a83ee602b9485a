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

/** What is in the tables, past all our code, and what a node shows of it. */
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
    const read: StoredSession[] = [];
    for (const { id, repo } of sessions) {
      const final = await by.client.sessions.get(id);
      read.push({
        ...(await readTables((statement) => raw.all(statement.replaceAll("$1", `'${id}'`)))),
        id,
        repo,
        final,
        difference: await foldDifference(store, id),
      });
    }
    return { sessions: read };
  } finally {
    await store.close();
    await raw.close();
  }
}

/** Runs that were started before this moment and are still said to be on. */
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

/** Of the session that `of` puts in for `$1`. */
export async function readTables(
  of: (statement: string) => Promise<readonly Readonly<Record<string, unknown>>[]>,
): Promise<Pick<StoredSession, "owner" | "lastSeq" | "messages" | "runs" | "log">> {
  const [row] = await of(`select "owner", "lastSeq" from "AgentSession" where "id" = $1`);
  const messages = await of(
    `select * from "AgentMessage" where "sessionId" = $1 order by "seq", "id"`,
  );
  const runs = await of(`select * from "Run" where "sessionId" = $1 order by "queuedAt", "id"`);
  const log = await of(`select * from "SessionEvent" where "sessionId" = $1 order by "seq"`);
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

/** How the log, folded again, differs from the row; null when it does not. */
async function foldDifference(store: Store, sessionId: string): Promise<string | null> {
  const loaded = await store.load(sessionId);
  if (loaded.found !== "session") return `it cannot be loaded: ${loaded.found}`;
  let folded: Session | null = null;
  let after = 0;
  for (;;) {
    const entries = await store.readEvents({ sessionId, after, limit: 1_000 });
    const last = entries.at(-1);
    if (last === undefined) break;
    for (const entry of entries) {
      const event: SessionEvent =
        entry.kind === "event" ? entry.event : { type: "output.appended", at: entry.at };
      folded = evolve(folded, event);
    }
    after = last.seq;
  }
  const { session } = loaded.stored;
  // The log of messages is compacted, and holds notices too: it cannot say when exactly the agent was last heard.
  const { lastActiveAt, updatedAt } = session;
  if (folded !== null && isDeepStrictEqual({ ...folded, lastActiveAt, updatedAt }, session))
    return null;
  return `the log makes ${JSON.stringify(folded)}, the row says ${JSON.stringify(session)}`;
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
  const role = ROLES.find((known) => known === message["role"]);
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
