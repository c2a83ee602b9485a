import { problemSchema, type Problem } from "@holdfast/protocol";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { StorageFault } from "../../storage/fault.ts";
import type { App } from "../app.ts";
import { refusal, sent, session } from "../testing/samples.ts";
import { listen, testApp } from "../testing/test-app.ts";

interface TestRequest {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";
  readonly url: string;
  readonly payload?: object | string;
  readonly headers?: Record<string, string>;
}

async function problemOf(app: App, request: TestRequest): Promise<Problem> {
  const json = typeof request.payload === "string" ? { "content-type": "application/json" } : {};
  const reply = await app.inject({ ...request, headers: { ...json, ...request.headers } });
  expect(reply.headers["content-type"]).toMatch(/^application\/problem\+json/u);
  const problem = problemSchema.strict().parse(reply.json());
  expect(problem.status).toBe(reply.statusCode);
  return problem;
}

function body(payload: object): TestRequest {
  return { method: "POST", url: "/api/sessions", payload };
}

function post(path: string, payload?: object): TestRequest {
  return { method: "POST", url: `/api/sessions/s1${path}`, ...(payload && { payload }) };
}

describe("a request that does not match the API's schemas", () => {
  it.each<[TestRequest, readonly string[]]>([
    [
      { method: "POST", url: "/api/sessions", payload: { titel: "x", agent: 1 } },
      ["titel", "agent"],
    ],
    [{ method: "POST", url: "/api/sessions", payload: { title: 7 } }, ["title"]],
    [
      { method: "POST", url: "/api/sessions", payload: { message: { txt: "x" } } },
      ["message.txt", "message"],
    ],
    [{ method: "POST", url: "/api/sessions", payload: [] }, [""]],
    [{ method: "PATCH", url: "/api/sessions/s1", payload: { phase: "thinking" } }, ["phase"]],
    [{ method: "PATCH", url: "/api/sessions/s1" }, [""]],
    [{ method: "POST", url: "/api/sessions/s1/messages", payload: {} }, [""]],
    [{ method: "POST", url: "/api/sessions/s1/messages", payload: { text: " " } }, ["text"]],
    [
      {
        method: "POST",
        url: "/api/sessions/s1/messages",
        payload: { content: [{ type: "text" }] },
      },
      ["content.0.text"],
    ],
    [
      { method: "POST", url: "/api/sessions/s1/messages", payload: { text: "x", delivery: "now" } },
      ["delivery"],
    ],
    [
      { method: "POST", url: "/api/sessions/s1/prompt", payload: { text: "x", model: "y" } },
      ["model"],
    ],
    [{ method: "POST", url: "/api/sessions/s1/cancel", payload: { why: "x" } }, ["why"]],
    [{ method: "POST", url: "/api/sessions/s1/resume", payload: { answer: "x" } }, [""]],
    [{ method: "POST", url: "/api/sessions/s1/archive", payload: { now: true } }, ["now"]],
    [
      { method: "POST", url: "/api/sessions/s1/finalize", payload: { outcome: "won" } },
      ["outcome"],
    ],
    [{ method: "POST", url: "/api/sessions/s1/fail", payload: {} }, ["reason"]],
    [{ method: "POST", url: "/api/sessions/s1/fork", payload: { atMessage: 1 } }, ["atMessage"]],
    [
      { method: "PATCH", url: "/api/sessions/s1/queue/m1", payload: { position: -1 } },
      ["position"],
    ],
    [{ method: "POST", url: "/api/repos", payload: { path: "" } }, ["path"]],
    [{ url: "/api/sessions?limit=0" }, ["limit"]],
    [{ url: "/api/sessions?limit=1000" }, ["limit"]],
    [{ url: "/api/sessions?status=active,gone" }, ["status.1"]],
    [{ url: "/api/sessions?status=active&status=error" }, ["status"]],
    [{ url: "/api/sessions?from=yesterday" }, ["from"]],
    [{ url: "/api/sessions?cursor=x" }, ["cursor"]],
    [{ url: "/api/sessions/s1/messages?after=-1" }, ["after"]],
    [{ url: "/api/sessions/s1/messages?since=12" }, ["since"]],
    [{ url: "/api/sessions/a%20b" }, ["id"]],
    [{ url: "/api/sessions/s1/events?after=x" }, ["after"]],
    [{ url: "/api/sessions/s1/events", headers: { "last-event-id": "-4" } }, ["last-event-id"]],
    [{ url: "/api/events", headers: { "last-event-id": "a b" } }, ["last-event-id"]],
    [{ method: "DELETE", url: "/api/sessions/s1", headers: { "if-match": "seven" } }, ["if-match"]],
    [
      { method: "POST", url: "/api/sessions", headers: { "idempotency-key": "k".repeat(256) } },
      ["idempotency-key"],
    ],
    [{ url: "/api/stats?to=never" }, ["to"]],
  ])("is refused with the field named: %j", async (request, fields) => {
    const problem = await problemOf(await testApp(), request);
    expect(problem).toMatchObject({ status: 400, code: "invalid_request" });
    expect(problem.errors?.map(({ field }) => field)).toEqual(fields);
    for (const field of fields) expect(problem.detail).toContain(field);
  });

  it.each<[string, TestRequest, string]>([
    [
      "unknown fields",
      body({ titel: "x", agent: 1 }),
      "unknown field: titel; unknown field: agent",
    ],
    ["a wrong type", body({ title: 7 }), "title must be a string"],
    ["a wrong type", body({ metadata: [] }), "metadata must be an object"],
    ["a wrong whole", body([]), "The body must be an object"],
    ["a missing body", { method: "PATCH", url: "/api/sessions/s1" }, "The body is required"],
    ["a missing field", { ...post("/fail"), payload: {} }, "reason is required"],
    ["a missing choice", { ...post("/finalize"), payload: {} }, "outcome is required"],
    [
      "an unknown choice",
      { ...post("/finalize"), payload: { outcome: "won" } },
      "outcome must be one of completed, failed, abandoned",
    ],
    ["an empty text", { ...post("/fail"), payload: { reason: "" } }, "reason must not be empty"],
    ["a blank message", { ...post("/prompt"), payload: { text: " " } }, "text must not be empty"],
    ["a long text", body({ title: "x".repeat(501) }), "title must have at most 500 characters"],
    [
      "an empty list",
      { ...post("/messages"), payload: { content: [] } },
      "content must not be empty",
    ],
    [
      "a long list",
      { ...post("/messages"), payload: { content: Array(101).fill({ type: "text", text: "x" }) } },
      "content must have at most 100 items",
    ],
    [
      "a low number",
      { url: "/api/sessions?limit=0" },
      "limit must be a whole number from 1 to 100",
    ],
    [
      "a high number",
      { url: "/api/sessions?limit=101" },
      "limit must be a whole number from 1 to 100",
    ],
    ["no number", { url: "/api/sessions?limit=x" }, "limit must be a whole number from 1 to 100"],
    [
      "a fraction",
      { url: "/api/sessions?limit=1.5" },
      "limit must be a whole number from 1 to 100",
    ],
    [
      "a number without a maximum",
      { url: "/api/sessions?offset=-1" },
      "offset must be a whole number of at least 0",
    ],
    [
      "a number that must be positive",
      { url: "/api/sessions/s1/should-resume?timeoutMinutes=0" },
      "timeoutMinutes must be a number above 0 and at most 525600",
    ],
    [
      "a wrong format",
      { url: "/api/sessions?from=yesterday" },
      "from must be an ISO-8601 time, such as 2026-01-31T12:00:00Z, or a date",
    ],
    ["a rule about two fields", post("/messages", {}), "The body must have either text or content"],
    [
      "no branch of a union",
      body({ message: 5 }),
      "message must be a string, or an object with text or content",
    ],
    ["a parameter given twice", { url: "/api/sessions?agent=a&agent=b" }, "agent must be a string"],
  ])("is refused in plain words: %s", async (_, request, detail) => {
    const problem = await problemOf(await testApp(), request);
    expect(problem.detail).toBe(detail);
  });

  it("is refused if its body is not JSON, is nested too deeply, or would change prototypes", async () => {
    const app = await testApp();
    const detailOf = async (payload: string): Promise<string> =>
      (await problemOf(app, { method: "POST", url: "/api/sessions", payload })).detail;
    expect(await detailOf("{")).toBe("The body is not JSON.");
    expect(await detailOf("\u0000")).toBe("The body is not JSON.");
    expect(await detailOf('{"metadata":{"__proto__":{"a":1}}}')).toBe("The body is not JSON.");
    const deep = `{"metadata":${'{"a":'.repeat(200)}1${"}".repeat(200)}}`;
    expect(await detailOf(deep)).toBe("The body is nested too deeply.");
    expect(await detailOf("[".repeat(500_000))).toBe("The body is not JSON.");
  });

  it("is refused if its body is larger than 2 MiB, with or without Content-Length (P6)", async () => {
    const app = await testApp({
      runtime: { sendMessage: async () => ({ ok: true, sent: sent() }) },
    });
    const textOf = (bytes: number): string => `{"text":"${"x".repeat(bytes - 11)}"}`;
    const limit = 2 * 1024 * 1024;
    const url = "/api/sessions/s1/prompt";
    expect(await problemOf(app, { method: "POST", url, payload: textOf(limit + 1) })).toMatchObject(
      {
        status: 413,
        code: "payload_too_large",
      },
    );
    // A body of the maximum size is read, and then refused for its content.
    expect(await problemOf(app, { method: "POST", url, payload: textOf(limit) })).toMatchObject({
      status: 400,
      errors: [{ field: "text", message: "must be at most 1 MiB" }],
    });
    const port = await listen(app);
    const socket = connect(port, "127.0.0.1");
    const head = `POST ${url} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n`;
    const piece = "x".repeat(1024 * 1024);
    const chunk = `${piece.length.toString(16)}\r\n${piece}\r\n`;
    socket.on("error", () => {});
    socket.write(`${head}transfer-encoding: chunked\r\n\r\n${chunk}${chunk}${chunk}`);
    expect(await text(socket)).toMatch(/^HTTP\/1.1 413 /u);
  });

  it("may leave out an optional body", async () => {
    const app = await testApp({
      runtime: {
        cancel: async () => ({ ok: true, session: session() }),
        createSession: async () => ({ ok: true, session: session(), sent: null }),
      },
    });
    const json = { "content-type": "application/json" };
    for (const headers of [{}, json, { ...json, "content-length": "0" }]) {
      const request = { method: "POST", url: "/api/sessions/s1/cancel", headers } as const;
      expect((await app.inject(request)).statusCode).toBe(200);
      expect((await app.inject({ ...request, url: "/api/sessions" })).statusCode).toBe(201);
    }
    const typed = { "content-type": "Application/JSON; charset=utf-8" };
    const create = { method: "POST", url: "/api/sessions", headers: typed, payload: "{}" } as const;
    expect((await app.inject(create)).statusCode).toBe(201);
  });

  it("is cleaned of characters that a database cannot store, in bodies and queries", async () => {
    const received: unknown[] = [];
    const app = await testApp({
      runtime: {
        createSession: async ({ title, metadata }) => {
          received.push({ title, metadata });
          return { ok: true, session: session(), sent: null };
        },
        listSessions: async ({ agentName }) => {
          received.push(agentName);
          throw new Error("enough");
        },
      },
    });
    const payload = String.raw`{"title":"a\u0000b\ud800","metadata":{"k\u0000":["\udfff"]}}`;
    const headers = { "content-type": "application/json" };
    await app.inject({ method: "POST", url: "/api/sessions", payload, headers });
    await app.inject("/api/sessions?agent=a%00b");
    expect(received).toEqual([{ title: "ab\ufffd", metadata: { k: ["\ufffd"] } }, "ab"]);
  });

  it("gets 405 with the supported methods if the path does not support its method", async () => {
    const app = await testApp();
    const allowedAt = async (method: "PUT" | "POST" | "DELETE" | "OPTIONS", url: string) => {
      const reply = await app.inject({ method, url });
      expect([reply.statusCode, reply.json().code]).toEqual([405, "method_not_allowed"]);
      return reply.headers.allow;
    };
    expect(await allowedAt("PUT", "/api/sessions/s1")).toBe("DELETE, GET, HEAD, PATCH");
    expect(await allowedAt("DELETE", "/api/sessions?x=1")).toBe("GET, HEAD, POST");
    expect(await allowedAt("POST", "/api/events")).toBe("GET, HEAD");
    expect(await allowedAt("OPTIONS", "/api/sessions/s1/cancel")).toBe("POST");
    expect(await allowedAt("POST", "/healthz")).toBe("GET, HEAD");
    expect(await problemOf(app, { url: "/api/sessions/s1/nothing" })).toMatchObject({
      status: 404,
      code: "not_found",
    });
  });

  it("gets a problem document even if it is not a valid URL or not HTTP", async () => {
    const app = await testApp();
    expect(await problemOf(app, { url: "/api/sessions/%zz" })).toMatchObject({ status: 400 });
    expect(await problemOf(app, { url: `/api/sessions/${"x".repeat(201)}` })).toMatchObject({
      code: expect.stringMatching(/invalid_request|not_found/u),
    });
    const port = await listen(app);
    for (const [bytes, status] of [
      ["NONSENSE\r\n\r\n", 400],
      [`GET / HTTP/1.1\r\nhost: localhost\r\nx: ${"y".repeat(20_000)}\r\n\r\n`, 431],
    ] as const) {
      const socket = connect(port, "127.0.0.1");
      socket.write(bytes);
      const [head = "", body = ""] = (await text(socket)).split("\r\n\r\n");
      expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `, "u"));
      expect(head).toContain("content-type: application/problem+json");
      expect(problemSchema.parse(JSON.parse(body))).toMatchObject({ status });
    }
  });
});

describe("a request that is refused or fails", () => {
  it("gets the session's status and state with a 409 (A6)", async () => {
    const archived = refusal({
      code: "session_archived",
      message: "The session is archived.",
      status: "archived",
      state: "idle",
    });
    const app = await testApp({ runtime: { sendMessage: async () => archived } });
    for (const url of ["/api/sessions/s1/messages", "/api/sessions/s1/prompt"]) {
      expect(await problemOf(app, { method: "POST", url, payload: { text: "x" } })).toEqual({
        type: "about:blank",
        title: "Conflict",
        status: 409,
        code: "session_archived",
        detail: "The session is archived.",
        sessionStatus: "archived",
        sessionState: "idle",
      });
    }
  });

  it("gets the time to wait with a 429 (A11)", async () => {
    const busy = refusal({ code: "agents_busy", message: "All 5 places are taken." });
    const app = await testApp({ runtime: { createSession: async () => busy } });
    const reply = await app.inject({ method: "POST", url: "/api/sessions" });
    expect([reply.statusCode, reply.headers["retry-after"], reply.json().detail]).toEqual([
      429,
      "60",
      "All 5 places are taken.",
    ]);
  });

  it("gets 404 for a missing session on every route of a session (A2)", async () => {
    const missing = async () => refusal();
    const app = await testApp({
      runtime: {
        readSession: missing,
        readSessionJson: missing,
        updateSession: missing,
        deleteSession: missing,
        sendMessage: missing,
        readMessages: missing,
        readQueue: missing,
        editQueued: missing,
        withdrawQueued: missing,
        cancel: missing,
        resume: missing,
        answer: missing,
        archive: missing,
        finalize: missing,
        fail: missing,
        fork: missing,
        exportSession: missing,
        openFeed: missing,
      },
    });
    const requests: readonly TestRequest[] = [
      { url: "" },
      { method: "PATCH", url: "", payload: {} },
      { method: "DELETE", url: "" },
      { method: "POST", url: "/messages", payload: { text: "x" } },
      { method: "POST", url: "/prompt", payload: { text: "x" } },
      { url: "/messages" },
      { url: "/events" },
      { url: "/queue" },
      { method: "PATCH", url: "/queue/m1", payload: { position: 0 } },
      { method: "DELETE", url: "/queue/m1" },
      { method: "POST", url: "/cancel" },
      { method: "POST", url: "/resume" },
      { method: "POST", url: "/resume", payload: { suspensionId: "q1", answer: "yes" } },
      { method: "POST", url: "/archive" },
      { method: "POST", url: "/finalize", payload: { outcome: "completed" } },
      { method: "POST", url: "/fail", payload: { reason: "x" } },
      { method: "POST", url: "/fork" },
      { url: "/export" },
    ];
    for (const one of requests) {
      const problem = await problemOf(app, { ...one, url: `/api/sessions/not-a-uuid${one.url}` });
      expect(problem).toMatchObject({ status: 404, code: "session_not_found" });
    }
    for (const url of ["/events", "/export", ""]) {
      const head = { method: "HEAD", url: `/api/sessions/s1${url}` } as const;
      expect((await app.inject(head)).statusCode).toBe(404);
    }
  });

  it("gets only the code of a failure, and never a stack trace", async () => {
    const failing = (error: unknown) =>
      testApp({ runtime: { listSuspensions: () => Promise.reject(error) } });
    const secret = await problemOf(await failing(new Error("secret")), { url: "/api/suspensions" });
    expect(secret).toMatchObject({ status: 500, code: "internal_error" });
    expect(JSON.stringify(secret)).not.toMatch(/secret|\.ts|at /u);
    const full = new StorageFault("disk_full", "The disk is full.");
    expect(await problemOf(await failing(full), { url: "/api/suspensions" })).toMatchObject({
      status: 507,
      code: "disk_full",
      detail: "The disk is full.",
    });
    const busy = new StorageFault("database_busy", "Busy.");
    const reply = await (await failing(busy)).inject("/api/suspensions");
    expect([reply.statusCode, reply.headers["retry-after"]]).toEqual([503, "5"]);
  });
});
