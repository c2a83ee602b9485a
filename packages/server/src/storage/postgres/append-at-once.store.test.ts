import { randomUUID } from "node:crypto";
import { Client } from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { AskServer } from "../dialect.ts";
import type { AppendRefused, Appended, Output, OutputItem } from "../ports/transcript-store.ts";
import { addRepo } from "../testing/contract/shared-store.ts";
import {
  beginSession,
  growingText,
  opening,
  textIn,
  type SessionDriver,
} from "../testing/session-driver.ts";
import { openTestStore, PATIENT, type TestStore } from "../testing/test-database.ts";
import { appendAtOnce } from "./append-at-once.ts";
import { openPostgresConnection, type PostgresConnection } from "./connection.ts";
import { nameStatements } from "./statement-names.ts";
import { askPool } from "./transactions.ts";

let database: TestStore;
let connection: PostgresConnection;
let ask: AskServer;
/** Another writer, in the middle of its transaction. */
let other: Client;
let repoId: string;

beforeAll(async () => {
  database = await openTestStore("postgres");
  if (database.location.engine !== "postgres") throw new Error("not PostgreSQL");
  const { url } = database.location;
  connection = openPostgresConnection(url, { query_timeout: PATIENT.replyTimeoutMs });
  ask = askPool({ pool: connection.pool, names: nameStatements() });
  other = new Client({ connectionString: url });
  await other.connect();
  ({ id: repoId } = await addRepo(database.store));
});

afterAll(async () => {
  await other.end();
  await connection.db.destroy();
  await database.close();
});

let session: SessionDriver;
let output: Omit<Output, "items">;
let id: string;

beforeEach(async () => {
  session = await beginSession(database.store, { repoId });
  const sent = await session.run("Tell me.");
  const fence = await session.claim("node-1");
  const at = session.now + 1_000;
  output = { sessionId: session.id, runId: sent.runId, at, fence, durable: false };
  id = `agent-${randomUUID()}`;
  await session.put(sent, opening(id, "a"));
});

afterEach(async () => {
  await other.query("rollback");
});

const say = (text: string, messageId = id): OutputItem => ({ put: "text", messageId, text });

async function answer(): Promise<readonly string[]> {
  const messages = await session.messages();
  return messages.filter(({ role }) => role === "agent").map(({ content }) => textIn(content));
}

describe("output that grows messages", () => {
  it("is stored by one statement, like all output", async () => {
    const { lastSeq } = await session.stored();
    const [b, c] = [`b-${id}`, `c-${id}`];
    const items = [say("1"), say("2"), opening(b, "b"), say("3"), say("4", b), opening(c, "c")];
    expect(await appendAtOnce(ask, { ...output, items, agentCursor: "cursor" })).toEqual({
      ok: true,
      firstSeq: lastSeq + 1,
      lastSeq: lastSeq + 5,
      at: output.at,
    });
    expect(await answer()).toEqual(["a123", "b4", "c"]);
    const stored = await session.stored();
    expect(stored).toMatchObject({ lastSeq: lastSeq + 5, agentCursor: "cursor" });
    expect(stored.session).toMatchObject({ updatedAt: output.at, lastActiveAt: output.at });
    const entries = await session.log(lastSeq);
    expect(entries.map(({ seq, kind }) => [seq, kind])).toEqual([
      [lastSeq + 1, "delta"],
      [lastSeq + 2, "message"],
      [lastSeq + 3, "delta"],
      [lastSeq + 4, "delta"],
      [lastSeq + 5, "message"],
    ]);
  });

  it("keeps the cursor of the agent, and the time when the clock jumps back", async () => {
    await appendAtOnce(ask, { ...output, items: [say("b")], agentCursor: "cursor" });
    const appended = await appendAtOnce(ask, { ...output, at: 1, items: [say("c")] });
    expect(appended).toMatchObject({ at: output.at });
    expect((await session.stored()).agentCursor).toBe("cursor");
  });

  it("is left to the general way if it does more, was tried before, or is refused", async () => {
    const complete = {
      put: "message",
      message: { id: "x", role: "system", content: growingText("") },
    } as const;
    const { lastSeq } = await session.stored();
    for (const more of [
      { items: [{ ...complete, complete: true }] },
      { items: [say("b"), { put: "end", messageId: id }] },
      { items: [{ put: "content", messageId: id, content: growingText(""), complete: false }] },
      { items: [opening("twice"), opening("twice")] },
      { wasTried: true },
      { fence: { node: "node-2", epoch: output.fence.epoch } },
      { fence: { node: "node-1", epoch: output.fence.epoch + 1 } },
      { runId: "another" },
      { after: lastSeq + 1 },
      { sessionId: "another" },
      { items: [say("b"), say("c", "another")] },
      { items: [say("b", "new"), opening("new")] },
    ] as readonly Partial<Output>[])
      expect(await appendAtOnce(ask, { ...output, items: [say("b")], ...more })).toBeNull();
    expect((await session.stored()).lastSeq).toBe(lastSeq);
    expect(await answer()).toEqual(["a"]);
  });
});

describe("output that waits for another writer of its session", () => {
  /** Appends while the other writer holds the session's row, which it changes before it commits. */
  async function appendDuring(...changes: readonly string[]): Promise<Appended | AppendRefused> {
    await other.query("begin");
    await other.query(`select from "AgentSession" where "id" = $1 for update`, [session.id]);
    const appending = database.store.append({ ...output, items: [say("b")] });
    await expect.poll(isAnyoneWaiting).toBe(true);
    for (const change of changes) await other.query(change.replace("ID", session.id));
    await other.query("commit");
    return appending;
  }

  async function isAnyoneWaiting(): Promise<boolean> {
    const { rows } = await other.query(
      `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
    );
    return rows.length > 0;
  }

  const newVersion = `update "AgentSession" set "version" = "version" + 1 where "id" = 'ID'`;
  const endOfRun = `update "Run" set "status" = 'completed', "endedAt" = 1 where "sessionId" = 'ID'`;
  const endOfMessage = `update "AgentMessage" set "complete" = 1 where "sessionId" = 'ID'`;

  it.each([
    ["the end of the run", [endOfRun, newVersion], "run_not_current"],
    ["the end of the message", [endOfMessage, newVersion], "message_not_found"],
    ["another owner", [`update "AgentSession" set "owner" = 'node-2' where "id" = 'ID'`], "fenced"],
    [
      "another epoch of its owner",
      [`update "AgentSession" set "epoch" = "epoch" + 1 where "id" = 'ID'`],
      "fenced",
    ],
    ["the end of the session", [`delete from "AgentSession" where "id" = 'ID'`], "fenced"],
  ])("is refused after %s, and stores nothing", async (_, changes, refused) => {
    const { lastSeq } = await session.stored();
    expect(await appendDuring(...changes)).toEqual({ ok: false, refused });
    const { rows } = await other.query(
      `select from "SessionEvent" where "sessionId" = $1 and "seq" > $2`,
      [session.id, lastSeq],
    );
    expect(rows).toEqual([]);
  });

  it("is stored behind what the other has stored", async () => {
    const { lastSeq } = await session.stored();
    const appended = await appendDuring(
      `insert into "SessionEvent" values ('ID', ${lastSeq + 1}, 1, 'delta', '${id}', '+')`,
      `update "AgentSession" set "lastSeq" = ${lastSeq + 1} where "id" = 'ID'`,
    );
    expect(appended).toMatchObject({ ok: true, firstSeq: lastSeq + 2, lastSeq: lastSeq + 2 });
    expect(await answer()).toEqual(["a+b"]);
  });

  it("is stored if the other changed nothing", async () => {
    expect(await appendDuring()).toMatchObject({ ok: true });
    expect(await answer()).toEqual(["ab"]);
  });

  it("loses no piece and stores none twice, however many are written at once", async () => {
    const pieces = Array.from({ length: 60 }, (_, number) => `<${number}>`);
    const results = await Promise.all(
      pieces.map((text) => database.store.append({ ...output, items: [say(text)] })),
    );
    const stored = results.map((result, number) =>
      result.ok ? { seq: result.firstSeq, text: pieces[number] } : null,
    );
    const inOrder = stored.flatMap((piece) => piece ?? []).toSorted((a, b) => a.seq - b.seq);
    expect(inOrder).toHaveLength(pieces.length);
    expect(await answer()).toEqual([`a${inOrder.map(({ text }) => text).join("")}`]);
  });

  it.each([
    ["the end of its run", () => session.end({ messageId: "", runId: output.runId })],
    [
      "a claim of its session",
      () => database.store.claim({ sessionId: session.id, node: "node-2", from: "node-1" }),
    ],
  ])("is never stored behind %s", async (_, end) => {
    let next = 0;
    const stored: string[] = [];
    const write = async (): Promise<void> => {
      for (;;) {
        const text = `<${(next += 1)}>`;
        const result = await database.store.append({ ...output, items: [say(text)] });
        if (!result.ok) return;
        stored.push(text);
      }
    };
    const writers = [write(), write(), write()];
    await expect.poll(() => stored.length).toBeGreaterThan(20);
    expect(await end()).toMatchObject({ ok: true });
    const { lastSeq } = await session.stored();
    await Promise.all(writers);
    expect((await session.stored()).lastSeq).toBe(lastSeq);
    const [text = ""] = await answer();
    expect(text.match(/<\d+>/gu)?.toSorted()).toEqual(stored.toSorted());
  });
});
