import {
  createSessionReplySchema,
  sessionListSchema,
  sessionSchema,
  wholeSessionSchema,
} from "@holdfast/protocol";
import { describe, expect, it } from "vitest";
import type {
  CreateSession,
  OnSession,
  ListSessions,
  UpdateSession,
} from "../../runtime/runtime.ts";
import {
  message,
  messageJson,
  NOON,
  refusal,
  REPO,
  sent,
  session,
  suspension,
  WIRE_SESSION,
} from "../testing/samples.ts";
import { testApp } from "../testing/test-app.ts";

describe("sessions over HTTP", () => {
  it("are created idle, without or with all fields, and the reply has their location (C10)", async () => {
    const requests: CreateSession[] = [];
    const app = await testApp({
      runtime: {
        createSession: async (request) => {
          requests.push(request);
          return { ok: true, session: session(), sent: null };
        },
      },
    });
    const reply = await app.inject({ method: "POST", url: "/api/sessions" });
    expect([reply.statusCode, reply.headers["location"], reply.headers["etag"]]).toEqual([
      201,
      "/api/sessions/s1",
      '"7"',
    ]);
    expect(createSessionReplySchema.strict().parse(reply.json())).toEqual({
      ...WIRE_SESSION,
      sent: null,
    });
    const payload = {
      agentId: "agent-20260108-180530-abc12345",
      repoId: "repo1",
      title: "The build",
      provider: "demo",
      model: "m",
      agentName: "builder",
      purpose: "to build",
      metadata: { ticket: 42 },
      message: "hello",
    };
    await app.inject({ method: "POST", url: "/api/sessions", payload });
    const nothing = { agentId: null, repoId: null, title: null, provider: null, model: null };
    expect(requests).toEqual([
      {
        ...nothing,
        agentName: null,
        purpose: null,
        metadata: {},
        message: null,
        idempotency: null,
      },
      { ...payload, message: { type: "text", text: "hello" }, idempotency: null },
    ]);
  });

  it("are created with a first message, which is in the reply", async () => {
    const app = await testApp({
      runtime: {
        createSession: async () => ({
          ok: true,
          session: session({ state: "running" }),
          sent: sent({ waitsFor: "a place" }),
        }),
      },
    });
    const payload = { message: { content: [{ type: "text", text: "hello" }] } };
    const reply = await app.inject({ method: "POST", url: "/api/sessions", payload });
    expect(createSessionReplySchema.strict().parse(reply.json())).toMatchObject({
      id: "s1",
      state: "running",
      sent: { message: { id: "m1", role: "user" }, run: { id: "r1" }, waitsFor: "a place" },
    });
  });

  it("are listed newest first without messages, 20 per page, only active and suspended ones by default (A4)", async () => {
    const requests: ListSessions[] = [];
    const counts = { active: 3, suspended: 0, archived: 1, error: 0, badge: 3 };
    const app = await testApp({
      runtime: {
        listSessions: async (query) => {
          requests.push(query);
          const next = query.after === undefined ? { at: NOON, id: "s1" } : null;
          return { sessions: [session()], total: 3, next, counts, hits: [] };
        },
      },
    });
    const first = await app.inject("/api/sessions");
    const list = sessionListSchema.strict().parse(first.json());
    expect(list).toEqual({
      sessions: [WIRE_SESSION],
      total: 3,
      limit: 20,
      offset: 0,
      nextCursor: expect.any(String),
      counts,
    });
    const second = await app.inject(`/api/sessions?limit=5&cursor=${list.nextCursor}`);
    expect(second.json()).toMatchObject({ limit: 5, nextCursor: null });
    await app.inject(
      "/api/sessions?repoId=repo1&status=archived,error&state=idle,running&outcome=failed,interrupted&phase=planning&agent=builder&provider=demo&q=two%20words&from=2026-01-31&to=2026-01-31T13:00:00%2B01:00&limit=100&offset=40",
    );
    const unknown = await app.inject("/api/sessions?outcome=failed,lost");
    expect(unknown.json()).toMatchObject({
      status: 400,
      detail: "outcome.1 must be one of completed, failed, cancelled, interrupted",
    });
    expect(requests).toEqual([
      { statuses: ["active", "suspended"], limit: 20, offset: 0 },
      { statuses: ["active", "suspended"], limit: 5, after: { at: NOON, id: "s1" } },
      {
        repoId: "repo1",
        statuses: ["archived", "error"],
        states: ["idle", "running"],
        outcomes: ["failed", "interrupted"],
        phase: "planning",
        agentName: "builder",
        provider: "demo",
        search: "two words",
        from: Date.UTC(2026, 0, 31),
        to: NOON,
        limit: 100,
        offset: 40,
      },
    ]);
  });

  it("are found by words, with an excerpt of a matching message", async () => {
    const counts = { active: 1, suspended: 0, archived: 0, error: 0, badge: 1 };
    const hit = { sessionId: "s1", messageId: "m1", role: "agent", type: "text" } as const;
    const excerpt = { text: "it <b>builds</b>", marks: [{ start: 6, end: 11 }] };
    const app = await testApp({
      runtime: {
        listSessions: async () => ({
          sessions: [session()],
          total: 1,
          next: null,
          counts,
          hits: [{ ...hit, excerpt }],
        }),
      },
    });
    const reply = await app.inject("/api/sessions?q=build");
    expect(sessionListSchema.strict().parse(reply.json()).hits).toEqual([{ ...hit, ...excerpt }]);
    expect((await app.inject("/api/sessions")).json()).not.toHaveProperty("hits");
  });

  it("are read with their repository, all messages, and the position of their events (A2)", async () => {
    const waiting = suspension();
    const app = await testApp({
      runtime: {
        readSessionJson: async ({ sessionId }) =>
          sessionId === "s1"
            ? {
                ok: true,
                session: session({ state: "suspended", suspensions: [waiting] }),
                repo: REPO,
                messages: [
                  messageJson(message()),
                  messageJson(message({ id: "m2", seq: 4, complete: false })),
                ],
                rewoundRuns: new Set(["r9", "r1"]),
                earlier: 0,
                feedAfter: 39,
              }
            : refusal(),
      },
    });
    const reply = await app.inject("/api/sessions/s1");
    const question = {
      id: "q1",
      kind: "permission",
      request: { title: "rm -r build" },
      createdAt: "2026-01-31T12:00:00.000Z",
      expiresAt: null,
    };
    expect(reply.headers["etag"]).toBe('"7"');
    expect(wholeSessionSchema.strict().parse(reply.json())).toEqual({
      ...WIRE_SESSION,
      state: "suspended",
      suspension: question,
      suspensions: [question],
      repo: {
        id: "repo1",
        path: "/work/project",
        name: "project",
        createdAt: "2026-01-31T12:00:00.000Z",
      },
      messages: [
        {
          id: "m1",
          sessionId: "s1",
          runId: "r1",
          seq: 3,
          role: "agent",
          content: { type: "text", text: "hello", partial: false },
          complete: true,
          timestamp: "2026-01-31T12:00:00.000Z",
        },
        expect.objectContaining({
          id: "m2",
          complete: false,
          content: { type: "text", text: "hello", partial: true },
        }),
      ],
      rewoundRuns: ["r1", "r9"],
      earlier: 0,
      lastEventId: "39",
    });
    expect((await app.inject("/api/sessions/other")).statusCode).toBe(404);
    const head = await app.inject({ method: "HEAD", url: "/api/sessions/s1" });
    expect([head.statusCode, head.headers["etag"]]).toEqual([200, '"7"']);
  });

  it("are not answered with 304, since streamed text does not change their version", async () => {
    const app = await testApp({
      runtime: {
        readSessionJson: async () => ({
          ok: true,
          session: session(),
          repo: null,
          messages: [],
          rewoundRuns: new Set<string>(),
          earlier: 0,
          feedAfter: 0,
        }),
      },
    });
    const headers = { "if-none-match": '"7"' };
    expect((await app.inject({ url: "/api/sessions/s1", headers })).statusCode).toBe(200);
  });

  it("are changed field by field, if they have not changed since the client read them", async () => {
    const requests: UpdateSession[] = [];
    const app = await testApp({
      runtime: {
        updateSession: async (request) => {
          requests.push(request);
          return request.version === 6
            ? refusal({ code: "version_mismatch", message: "It has changed.", status: "active" })
            : { ok: true, session: session({ version: 8 }) };
        },
      },
    });
    const patch = (payload: object, headers = {}) =>
      app.inject({ method: "PATCH", url: "/api/sessions/s1", payload, headers });
    const all = {
      title: null,
      metadata: { a: null },
      delivery: "hold",
      provider: null,
      model: "m",
    };
    const changed = await patch({ ...all, phase: "executing", error: "oh" }, { "if-match": '"7"' });
    expect([changed.statusCode, changed.headers["etag"]]).toEqual([200, '"8"']);
    expect(sessionSchema.strict().parse(changed.json())).toEqual({ ...WIRE_SESSION, version: 8 });
    expect((await patch({ title: "x" }, { "if-match": "*" })).statusCode).toBe(200);
    const late = await patch({}, { "if-match": '"6"' });
    expect([late.statusCode, late.json()]).toMatchObject([
      412,
      { code: "version_mismatch", sessionStatus: "active" },
    ]);
    expect(requests).toEqual([
      { sessionId: "s1", version: 7, changes: all, phase: "executing", error: "oh" },
      { sessionId: "s1", changes: { title: "x" } },
      { sessionId: "s1", version: 6, changes: {} },
    ]);
  });

  it("are deleted, and the reply has their last state (C8)", async () => {
    const requests: OnSession[] = [];
    const app = await testApp({
      runtime: {
        deleteSession: async (request) => {
          requests.push(request);
          return { ok: true, session: session() };
        },
      },
    });
    const url = "/api/sessions/s1";
    const reply = await app.inject({ method: "DELETE", url });
    expect([reply.statusCode, reply.json()]).toEqual([200, WIRE_SESSION]);
    await app.inject({ method: "DELETE", url, headers: { "if-match": '"7"' } });
    expect(requests).toEqual([{ sessionId: "s1" }, { sessionId: "s1", version: 7 }]);
  });
});
