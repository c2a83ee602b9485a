import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Scope } from "../../packages/server/src/domain/scope.ts";
import type { App } from "../../packages/server/src/http/app.ts";
import { buildApp } from "../../packages/server/src/http/build-app.ts";
import { ask, say, script } from "../../packages/server/src/providers/testing/script.ts";
import { TestRuntime } from "../../packages/server/src/runtime/testing/test-runtime.ts";
import { openAccessTokens } from "../../packages/server/src/runtime/tokens/access-tokens.ts";

const RULES = { permissions: { rules: [{ decision: "allow" }] } };
const HELLO = script(say("Hello."));

let test: TestRuntime;
let app: App;
/** A session that waits for a permission with a message in its queue, and one that is idle. */
let waiting: string;
let idle: string;
let queued: string;
let suspensionId: string;
let secrets: Readonly<Record<"send" | "approve" | "own" | "ownReader", string>>;

beforeAll(async () => {
  test = await TestRuntime.open({
    agents: [{ name: "scripted", modes: ["ask", "bypass"] }],
    files: { "a.txt": "one\n" },
    worktrees: {},
  });
  const tokens = openAccessTokens({ store: test.store, clock: Date.now, newId: randomUUID });
  app = await buildApp({
    runtime: test.runtime,
    version: "1.2.3",
    startedAt: new Date(),
    token: "the token of the server",
    tokens,
    webFolder: null,
  });
  await app.ready();
  const budget = { tokens: 1_000_000 };
  idle = await test.createSession({ metadata: { budget, ...RULES } });
  await test.send(idle, HELLO);
  await test.idle(idle);
  waiting = await test.createSession({ metadata: { budget } });
  await test.send(waiting, script(ask({ id: "t1", title: "Delete everything" }), say("deleted")));
  const { session } = await test.until(waiting, (whole) => whole.session.state === "suspended");
  suspensionId = session.suspensions[0]?.id ?? "";
  const later = await test.send(waiting, "as I said", { settings: { mode: "bypass" } });
  queued = later.messageId;
  const secretOf = async (scope: Scope, sessionId: string | null = null): Promise<string> => {
    const created = await tokens.create({ name: scope, scope, sessionId, expiresInMs: null });
    if (!created.ok) throw new Error(created.refusal.message);
    return created.secret;
  };
  secrets = {
    send: await secretOf("send"),
    approve: await secretOf("approve"),
    own: await secretOf("send", idle),
    ownReader: await secretOf("read", idle),
  };
});
afterAll(async () => {
  await app.close();
  await test.close();
});

type Call = readonly [method: "GET" | "POST" | "PATCH" | "DELETE", url: string, payload?: object];

async function call(
  token: keyof typeof secrets,
  [method, url, payload]: Call,
): Promise<readonly [status: number, detail: string | undefined]> {
  const headers = { authorization: `Bearer ${secrets[token]}` };
  const reply = await app.inject({
    method,
    url,
    headers,
    ...(payload !== undefined && { payload }),
  });
  return [reply.statusCode, reply.json().detail];
}

const answer = (): Call => [
  "POST",
  `/api/sessions/${waiting}/resume`,
  { suspensionId, answer: "allow" },
];
const needs = (field: string): readonly [number, string] => [
  403,
  `The field ${field} needs a token with the scope approve.`,
];
const NEEDS_APPROVE = [
  403,
  "This request needs a token with the scope approve. The scope of this token is send.",
];

describe("a token with the scope send", () => {
  it("D6: cannot answer, resume, dismiss an answer or take back a grant", async () => {
    const on = `/api/sessions/${waiting}`;
    for (const decision of [
      answer(),
      ["POST", `${on}/resume`],
      ["POST", `${on}/runs/r1/dismiss`],
      ["DELETE", `${on}/grants/g1`],
    ] as const)
      expect(await call("send", decision)).toEqual(NEEDS_APPROVE);
    expect((await test.read(waiting)).session.suspensions).toMatchObject([{ id: suspensionId }]);
  });

  it("D6: cannot commit, rebase or merge", async () => {
    for (const work of ["commit", "rebase", "merge"])
      expect(await call("send", ["POST", `/api/sessions/${idle}/${work}`, {}])).toEqual(
        NEEDS_APPROVE,
      );
  });

  it("D6: cannot raise or remove a budget, and can give one to a new session", async () => {
    for (const budget of [{ tokens: 2_000_000 }, { tokens: 1 }, null])
      expect(
        await call("send", ["PATCH", `/api/sessions/${idle}`, { metadata: { budget } }]),
      ).toEqual(needs("metadata.budget"));
    const metadata = { budget: { tokens: 5 } };
    expect((await call("send", ["POST", "/api/sessions", { metadata }]))[0]).toBe(201);
    const other = { metadata: { ticket: 42 } };
    expect((await call("send", ["PATCH", `/api/sessions/${idle}`, other]))[0]).toBe(200);
    expect((await test.read(idle)).session.metadata).toMatchObject({
      budget: { tokens: 1_000_000 },
      ticket: 42,
    });
  });

  it("D6: cannot choose a mode or options, with a session, a message or a change", async () => {
    const [create, message, change] = [
      ["POST", "/api/sessions", {}],
      ["POST", `/api/sessions/${idle}/messages`, { text: HELLO }],
      ["PATCH", `/api/sessions/${idle}`, {}],
    ] as const satisfies readonly Call[];
    for (const [method, url, payload] of [create, message, change]) {
      expect(await call("send", [method, url, { ...payload, mode: "bypass" }])).toEqual(
        needs("mode"),
      );
      expect(await call("send", [method, url, { ...payload, options: { yolo: true } }])).toEqual(
        needs("options"),
      );
    }
    expect(await call("send", ["PATCH", `/api/sessions/${idle}`, { mode: null }])).toEqual(
      needs("mode"),
    );
    const none = { mode: null, options: {} };
    expect((await call("send", ["POST", "/api/sessions", none]))[0]).toBe(201);
  });

  it("D6: cannot set or remove the rules that answer for people", async () => {
    const refused = needs("metadata.permissions");
    const rules = { metadata: RULES };
    expect(await call("send", ["POST", "/api/sessions", rules])).toEqual(refused);
    expect(await call("send", ["PATCH", `/api/sessions/${waiting}`, rules])).toEqual(refused);
    const none = { metadata: { permissions: null } };
    expect(await call("send", ["PATCH", `/api/sessions/${idle}`, none])).toEqual(refused);
    expect((await test.read(idle)).session.metadata).toMatchObject(RULES);
  });

  it("D6: cannot put another text into a message that chose a mode, or overwrite the files of others", async () => {
    const message = `/api/sessions/${waiting}/queue/${queued}`;
    expect(await call("send", ["PATCH", message, { text: "something else" }])).toEqual([
      403,
      "Changing the text of a message that chose a mode or options needs a token with the scope approve.",
    ]);
    expect((await call("send", ["PATCH", message, { position: 0 }]))[0]).toBe(200);
    const rewind = { run: "last", dryRun: true };
    const url = `/api/sessions/${idle}/rewind`;
    expect(await call("send", ["POST", url, { ...rewind, force: true }])).toEqual(needs("force"));
    expect((await call("send", ["POST", url, rewind]))[0]).toBe(200);
  });
});

describe("a token for one session", () => {
  it("D6: sends to its session with the scope send, and only reads it with the scope read", async () => {
    const message: Call = ["POST", `/api/sessions/${idle}/messages`, { text: HELLO }];
    expect((await call("own", message))[0]).toBe(202);
    await test.idle(idle);
    expect((await call("own", ["PATCH", `/api/sessions/${idle}`, { title: "Mine" }]))[0]).toBe(200);
    expect((await call("own", ["GET", `/api/sessions/${idle}`]))[0]).toBe(200);
    expect((await call("ownReader", ["GET", `/api/sessions/${idle}`]))[0]).toBe(200);
    expect((await call("ownReader", message))[0]).toBe(403);
  });

  it("D6: cannot reach another session, fork, read lists, or approve", async () => {
    const only = [403, `This token is only for the session ${idle}.`];
    for (const refused of [
      ["GET", `/api/sessions/${waiting}`],
      ["POST", `/api/sessions/${waiting}/messages`, { text: HELLO }],
      ["PATCH", `/api/sessions/${waiting}`, { title: "Mine" }],
      ["POST", `/api/sessions/${idle}/fork`, {}],
      ["POST", "/api/sessions", {}],
      ["POST", "/api/events/deployed", {}],
      ["GET", "/api/sessions"],
      ["GET", "/api/suspensions"],
      ["GET", "/api/events"],
      ["GET", "/api/repos"],
    ] as const satisfies readonly Call[])
      expect(await call("own", refused)).toEqual(only);
    expect(await call("own", ["POST", `/api/sessions/${idle}/resume`, {}])).toEqual(NEEDS_APPROVE);
    expect(await call("own", ["PATCH", `/api/sessions/${idle}`, { mode: "bypass" }])).toEqual(
      needs("mode"),
    );
    expect((await call("own", ["GET", "/api/token"]))[0]).toBe(200);
  });

  it.each(["approve", "admin"])("D6: cannot have the scope %s", async (scope) => {
    const reply = await app.inject({
      method: "POST",
      url: "/api/tokens",
      headers: { authorization: "Bearer the token of the server" },
      payload: { name: "too much", scope, sessionId: idle },
    });
    expect(reply.json()).toMatchObject({
      code: "invalid_request",
      errors: [{ field: "scope", message: "must be read or send if the token is for one session" }],
    });
  });
});

describe("a token with the scope approve", () => {
  it("D6: decides for people", async () => {
    const change = { mode: "bypass", metadata: { budget: { tokens: 2_000_000 }, ...RULES } };
    expect(await call("approve", ["PATCH", `/api/sessions/${waiting}`, change])).toEqual([
      200,
      undefined,
    ]);
    expect((await call("approve", answer()))[0]).toBe(200);
    const { messages } = await test.idle(waiting);
    expect(JSON.stringify(messages)).toContain("deleted");
    expect((await call("approve", ["POST", `/api/sessions/${idle}/commit`, {}]))[1]).toMatch(
      /nothing to commit/iu,
    );
  });
});
