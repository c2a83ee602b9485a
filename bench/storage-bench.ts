import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { shouldResume, RESUME_POLICY } from "../packages/server/src/domain/should-resume.ts";
import { BUILT_IN } from "../packages/server/src/providers/built-in.ts";
import { createCatalog } from "../packages/server/src/providers/catalog.ts";
import { demoDefinition } from "../packages/server/src/providers/demo/demo-definition.ts";
import { judgeResume } from "../packages/server/src/runtime/requests/judge-resume.ts";
import { createResumeProbes } from "../packages/server/src/runtime/requests/resume-probes.ts";
import { openMigrations, openStore } from "../packages/server/src/storage/open-store.ts";
import type { Store } from "../packages/server/src/storage/store.ts";
import { REPOS, sessionId } from "./fill.ts";
import { fillDatabase, fillMessages } from "./fill-database.ts";
import { measure } from "./measure.ts";
import type { Row, SizeRow } from "./report.ts";

export interface StorageFigures {
  readonly sessions: number;
  readonly rows: readonly Row[];
  readonly sizes: readonly SizeRow[];
}

const CLEANUP_SIZE = 1000;
const CLEANUPS = 20;
const MESSAGES = 1000;

/** Compares every figure with the bare driver on the same file. */
export async function benchStorage({ sessions }: { sessions: number }): Promise<StorageFigures> {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-bench-"));
  const file = path.join(folder, "holdfast.db");
  try {
    await (await openMigrations({ engine: "sqlite", file })).up();
    const raw = new DatabaseSync(file);
    raw.exec("pragma foreign_keys = on; pragma synchronous = full");
    const empty = bytesUsed(raw);
    await fillDatabase({ engine: "sqlite", file }, { sessions, isOpen: true });
    const perSession = Math.round((bytesUsed(raw) - empty) / sessions);
    await fillMessages({ engine: "sqlite", file }, { id: sessionId(0), count: MESSAGES });
    const store = await openStore({ engine: "sqlite", file }, { clock: Date.now });
    const rows = [
      await resumeRow(store, raw, sessions),
      await listRow(store, raw),
      await messagesRow(store, raw),
      await commitRow(store, raw, sessions),
      await cleanupRow(store, raw),
    ];
    raw.close();
    await store.close();
    return {
      sessions,
      rows,
      sizes: [{ name: "a session with its history, on disk", bytes: perSession, goalBytes: 2048 }],
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function bytesUsed(raw: DatabaseSync): number {
  const value = (pragma: string): number =>
    Number(Object.values(raw.prepare(`pragma ${pragma}`).get() ?? {})[0]);
  return (value("page_count") - value("freelist_count")) * value("page_size");
}

async function resumeRow(store: Store, raw: DatabaseSync, sessions: number): Promise<Row> {
  const now = Date.now();
  const pick = (index: number): string => sessionId((index * 7919) % sessions);
  const statement = raw.prepare(
    `select "status", "phase", "resumeReady", "errorCount", "lastActiveAt" from "AgentSession" where "id" = ?`,
  );
  // Like a server: checks the repository on disk and the agent on the PATH.
  const probes = createResumeProbes(
    createCatalog({
      demo: demoDefinition({ stateFolder: tmpdir() }),
      definitions: BUILT_IN,
      defaultName: null,
      owner: "bench",
      environment: process.env,
      journalFolder: null,
      clientVersion: "bench",
    }),
    { clock: Date.now },
  );
  return {
    name: "should-resume on a stored session",
    holdfast: await measure(5000, (index) =>
      judgeResume(store, { sessionId: pick(index), now, policy: RESUME_POLICY, probes }),
    ),
    raw: await measure(5000, (index) => {
      const row = statement.get(pick(index));
      shouldResume(
        {
          status: row?.["status"] === "active" ? "active" : "archived",
          phase: row?.["phase"] === "planning" ? "planning" : "executing",
          resumeReady: row?.["resumeReady"] === 1,
          errorCount: Number(row?.["errorCount"]),
          lastActiveAt: Number(row?.["lastActiveAt"]),
        },
        { now, policy: RESUME_POLICY },
      );
    }),
    goal: { of: "p99Ms", belowMs: 1 },
  };
}

async function listRow(store: Store, raw: DatabaseSync): Promise<Row> {
  const newest = (status: string): string => `select * from (select "id", "createdAt"
    from "AgentSession" where "setAside" = 0 and "repoId" = ?1 and "status" = '${status}'
    order by "createdAt" desc, "id" desc limit 20)`;
  const page = raw.prepare(
    `select "AgentSession".* from "AgentSession" join (
      ${newest("active")} union all ${newest("suspended")}
      order by "createdAt" desc, "id" desc limit 20) as page using ("id")`,
  );
  const counts = raw.prepare(`select "status", sum("count") from "SessionTally" group by "status"`);
  const total = raw.prepare(
    `select "count" from "SessionTally" where "repoId" = ? and "status" = 'active'`,
  );
  return {
    name: "list of 20 with filter, total and counts",
    holdfast: await measure(2000, (index) =>
      store.listSessions({
        repoId: REPOS[index % REPOS.length] ?? "",
        statuses: ["active", "suspended"],
        limit: 20,
      }),
    ),
    raw: await measure(2000, (index) => {
      const repo = REPOS[index % REPOS.length] ?? "";
      return [page.all(repo), counts.all(), total.get(repo)];
    }),
    goal: { of: "p99Ms", belowMs: 5 },
  };
}

async function messagesRow(store: Store, raw: DatabaseSync): Promise<Row> {
  const id = sessionId(0);
  const statement = raw.prepare(
    `select * from "AgentMessage" where "sessionId" = ? order by "seq"`,
  );
  return {
    name: `read ${MESSAGES} messages`,
    holdfast: await measure(300, () => store.readMessages({ sessionId: id })),
    raw: await measure(300, () =>
      statement.all(id).map((row) => JSON.parse(String(row["content"]))),
    ),
    goal: { of: "p99Ms", belowMs: 10 },
  };
}

async function commitRow(store: Store, raw: DatabaseSync, sessions: number): Promise<Row> {
  const load = async (index: number) => {
    const loaded = await store.load(sessionId(index % sessions));
    if (loaded.found !== "session") throw new Error("a session is missing");
    return loaded.stored;
  };
  raw.exec(`create table if not exists "Bench" ("id" integer primary key, "data" text)`);
  const insert = raw.prepare(`insert into "Bench" ("data") values (?)`);
  const data = "x".repeat(200);
  return {
    name: "durable change of a session",
    holdfast: await measure(1000, async (index) =>
      store.commit({
        before: await load(index),
        events: [{ type: "session.updated", at: Date.now(), changes: { metadata: { index } } }],
      }),
    ),
    raw: await measure(1000, () => insert.run(data)),
    goal: null,
  };
}

async function cleanupRow(store: Store, raw: DatabaseSync): Promise<Row> {
  const stale = () =>
    store.inactiveSessions({
      statuses: ["active", "suspended"],
      before: Infinity,
      limit: CLEANUP_SIZE,
    });
  const remove = raw.prepare(
    `delete from "AgentSession" where "id" in (select value from json_each(?))`,
  );
  return {
    name: `cleanup of ${CLEANUP_SIZE} sessions`,
    holdfast: await measure(CLEANUPS, async () => store.deleteSessions(await stale()), {
      warmUp: 3,
    }),
    raw: await measure(CLEANUPS, async () => remove.run(JSON.stringify(await stale())), {
      warmUp: 3,
    }),
    goal: { of: "p99Ms", belowMs: 50 },
  };
}
