import { downOver } from "./testing/down-over.ts";
import { afterEach, describe, expect, it } from "vitest";
import { openMigrations, openStore, type DatabaseLocation } from "../open-store.ts";
import { loosen, openRaw } from "../testing/raw-database.ts";
import { beginSession, driveSession, HANDED, textOf } from "../testing/session-driver.ts";
import { createTestDatabase, type Engine, type TestDatabase } from "../testing/test-database.ts";
import { createPortal } from "./testing/create-portal.ts";
import { dumpDatabase } from "./testing/dump-database.ts";

const NOON = 1_750_000_000_000;
const databases: TestDatabase[] = [];

afterEach(async () => {
  for (const database of databases.splice(0)) await database.remove();
});

type Stored = readonly [role: string, content: string, complete?: 0 | 1];

/** Messages as 0.1 stored them, and as they are stored now. */
const FORMER = new Map<string, { readonly before: Stored; readonly after: Stored }>([
  [
    "a user's text",
    {
      before: ["user", '{"type":"text","text":"Go on."}'],
      after: ["user", '{"type":"text","text":"Go on.","partial":false}'],
    },
  ],
  [
    "an answer",
    {
      before: ["agent", '{"type":"text","text":"Done: {\\"a\\":1}"}'],
      after: ["agent", '{"type":"text","text":"Done: {\\"a\\":1}","partial":false}'],
    },
  ],
  [
    "a text that still grows",
    {
      before: ["agent", '{"type":"text","text":"I am"}', 0],
      after: ["agent", '{"type":"text","text":"I am","partial":true}', 0],
    },
  ],
  [
    "a thought",
    {
      before: ["agent", '{"type":"thought","text":"Hm"}'],
      after: ["agent", '{"type":"thought","text":"Hm","partial":false}'],
    },
  ],
  [
    "a notice",
    {
      before: ["system", '{"type":"text","text":"Failed: x","notice":"run_failed"}'],
      after: ["system", '{"type":"text","text":"Failed: x","notice":"run_failed","partial":false}'],
    },
  ],
  [
    "a plan",
    {
      before: ["agent", '{"type":"plan","steps":[]}'],
      after: ["system", '{"type":"plan","steps":[]}'],
    },
  ],
  [
    "a tool call",
    {
      before: ["agent", '{"type":"tool","tool":"ls","args":{},"result":null,"callId":"1"}'],
      after: ["system", '{"type":"tool","tool":"ls","args":{},"result":null,"callId":"1"}'],
    },
  ],
  [
    "a tool call of a portal",
    {
      before: ["system", '{"type":"tool","tool":"ls","args":{},"result":{}}'],
      after: ["system", '{"type":"tool","tool":"ls","args":{},"result":{}}'],
    },
  ],
  [
    "a whole text of a portal",
    {
      before: ["agent", '{"partial": false, "type": "text", "text": "Yes"}'],
      after: ["agent", '{"partial": false, "type": "text", "text": "Yes"}'],
    },
  ],
  [
    "a text that broke off in a portal",
    {
      before: ["agent", '{"type":"text","text":"Ye","partial":true}'],
      after: ["agent", '{"type":"text","text":"Ye","partial":false}'],
    },
  ],
  [
    "a text with room in it",
    {
      before: ["user", '{ "type": "text", "text": "x" }\n'],
      after: ["user", '{ "type": "text", "text": "x" ,"partial":false}\n'],
    },
  ],
  [
    "a message of several parts",
    {
      before: ["user", '{"type":"parts","parts":[{"type":"text","text":"a"}]}'],
      after: ["user", '{"type":"parts","parts":[{"type":"text","text":"a"}]}'],
    },
  ],
]);

describe.each(["sqlite", "postgres"] as const)("the roles of messages on %s", (engine) => {
  it("A3, ruling 19: stored plans and tool calls become system messages, whole texts say that they are not partial", async () => {
    const { location } = await of01(engine);
    await add(location, ({ before }) => before);
    await (await openMigrations(location)).up();

    expect(await messagesIn(location)).toEqual(
      new Map(
        [...FORMER].map(([id, { after }]) => [id, { role: after[0], content: after[1] }] as const),
      ),
    );
    const store = await openStore(location, { clock: () => NOON });
    const [queued] = await store.readQueue("s1");
    expect(queued?.content).toEqual(textOf("And then?"));
    await store.close();
  });

  it("A15: a rollback restores every message exactly", async () => {
    const { location } = await of01(engine);
    await add(location, ({ before }) => before);
    const before = await dumpDatabase(location);
    const migrations = await openMigrations(location);
    await migrations.up();
    await downOver(location, "0010-roles");

    expect(await dumpDatabase(location)).toBe(before);
  });

  it("A15: a rollback gives new messages the form of 0.1", async () => {
    const { location } = await of01(engine);
    await (await openMigrations(location)).up();
    const store = await openStore(location, { clock: () => NOON });
    const session = driveSession(store, { id: "s1", now: NOON + 60_000 });
    const stored = await session.stored();
    await session.perform({
      type: "start-run",
      runId: stored.session.queue[0]?.runId ?? "",
      start: HANDED,
    });
    await session.claim();
    await session.put(
      { runId: stored.session.queue[0]?.runId ?? "", messageId: "" },
      {
        put: "message",
        message: {
          id: "tool",
          role: "system",
          content: { type: "tool", tool: "ls", args: {}, result: "x" },
        },
        complete: true,
      },
      {
        put: "message",
        message: { id: "text", role: "agent", content: { type: "text", text: "Yes" } },
        complete: true,
      },
    );
    await store.close();
    await downOver(location, "0010-roles");

    const messages = await messagesIn(location);
    expect(messages.get("tool")).toEqual({
      role: "agent",
      content: '{"type":"tool","tool":"ls","args":{},"result":"x"}',
    });
    expect(messages.get("text")).toEqual({
      role: "agent",
      content: '{"type":"text","text":"Yes"}',
    });
    expect(messages.get("q1")).toEqual({
      role: "user",
      content: '{"type":"text","text":"And then?"}',
    });
  });

  it("A15: more messages than one batch are all changed", async () => {
    const { location } = await of01(engine);
    const raw = await openRaw(location);
    const numbers = `with recursive counter("n") as (select 1 union all select "n" + 1 from counter where "n" < 1203)`;
    await raw.run(`insert into "AgentMessage" ("id", "sessionId", "seq", "role", "content", "complete", "timestamp")
      ${numbers} select 'm' || "n", 's1', 100 + "n", 'agent', '{"type":"tool","tool":"ls","args":{},"result":null}', 1, ${NOON}
      from counter`);
    await raw.close();
    await (await openMigrations(location)).up();
    const after = [...(await messagesIn(location)).values()];
    expect(after).toHaveLength(1203);
    expect(after.every(({ role }) => role === "system")).toBe(true);
  });

  it("B5: an unreadable message stays unchanged and does not stop the migration", async () => {
    const { location } = await of01(engine);
    const raw = await openRaw(location);
    await loosen(location, raw);
    await raw.run(insert("bad", 50, ["agent", '{"type":"tool",', 1]));
    await raw.run(insert("odd", 51, ["agent", "[]", 1]));
    await raw.close();
    await (await openMigrations(location)).up();
    await downOver(location, "0010-roles");
    expect(await messagesIn(location)).toEqual(
      new Map([
        ["bad", { role: "agent", content: '{"type":"tool",' }],
        ["odd", { role: "agent", content: "[]" }],
      ]),
    );
  });

  it("A3, A15: the messages of a portal keep their roles in both directions", async () => {
    const portal = await createPortal({ engine, shape: "second", contents: "odd" });
    databases.push(portal);
    await (await openMigrations(portal.location)).up();
    const messages = await messagesIn(portal.location);
    expect(messages.get("a3")?.role).toBe("system");
    expect(messages.get("a4")?.role).toBe("system");
    expect(JSON.parse(messages.get("a2")?.content ?? "")).toEqual(textOf("I shall."));
    await downOver(portal.location, "0010-roles");
    const before = await messagesIn(portal.location);
    expect(before.get("a3")?.role).toBe("system");
    expect(before.get("a4")?.role).toBe("system");
    expect(before.get("a2")?.content).toBe('{"type":"text","text":"I shall.","partial":true}');
  });
});

/** A database of Holdfast 0.1 with a session that has a message in its queue. */
async function of01(engine: Engine): Promise<TestDatabase> {
  const database = await createTestDatabase(engine);
  databases.push(database);
  const { location } = database;
  await (await openMigrations(location)).up();
  const store = await openStore(location, { clock: () => NOON });
  await store.addRepo({ id: "r1", path: "/srv/work/alpha", name: "alpha", createdAt: NOON });
  const session = await beginSession(store, { id: "s1", repoId: "r1", at: NOON });
  await session.send("And then?", { messageId: "q1" });
  await store.close();
  await downOver(location, "0010-roles");
  return database;
}

async function add(
  location: DatabaseLocation,
  pick: (of: { readonly before: Stored }) => Stored,
): Promise<void> {
  const raw = await openRaw(location);
  for (const [index, [id, each]] of [...FORMER].entries())
    await raw.run(insert(id, index + 10, pick(each)));
  await raw.close();
}

function insert(id: string, seq: number, [role, content, complete = 1]: Stored): string {
  const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
  return `insert into "AgentMessage" ("id", "sessionId", "seq", "role", "content", "complete", "timestamp")
    values (${quoted(id)}, 's1', ${seq}, '${role}', ${quoted(content)}, ${complete}, ${NOON})`;
}

async function messagesIn(
  location: DatabaseLocation,
): Promise<ReadonlyMap<string, { readonly role: string; readonly content: string }>> {
  const raw = await openRaw(location);
  const rows = await raw.all(
    `select "id", "role", cast("content" as text) as "content" from "AgentMessage" where "role" <> ''`,
  );
  await raw.close();
  return new Map(
    rows.map(({ id, role, content }) => [
      String(id),
      { role: String(role), content: String(content) },
    ]),
  );
}
