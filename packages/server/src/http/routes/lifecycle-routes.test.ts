import {
  providersReplySchema,
  reportEventReplySchema,
  repositoriesReplySchema,
  repositorySchema,
  resumeDecisionSchema,
  statsSchema,
  suspensionsReplySchema,
} from "@holdfast/protocol";
import { describe, expect, it } from "vitest";
import { shouldResume, RESUME_POLICY } from "../../domain/should-resume.ts";
import { refuse } from "../../runtime/reply.ts";
import type { Stats } from "../../runtime/stats/stats.ts";
import { StorageFault } from "../../storage/fault.ts";
import { NOON, refusal, REPO, session, suspension, WIRE_SESSION } from "../testing/samples.ts";
import { testApp } from "../testing/test-app.ts";

describe("the lifecycle of a session over HTTP", () => {
  it("is cancelled, resumed, answered, archived, finalized, failed and forked (C10)", async () => {
    const requests: [string, unknown][] = [];
    const record = (name: string) => async (request: unknown) => {
      requests.push([name, request]);
      return { ok: true as const, session: session() };
    };
    const app = await testApp({
      runtime: {
        cancel: record("cancel"),
        resume: record("resume"),
        answer: record("answer"),
        archive: record("archive"),
        finalize: record("finalize"),
        fail: record("fail"),
        fork: record("fork"),
      },
    });
    const post = async (url: string, payload?: object, headers = {}) => {
      const reply = await app.inject({
        method: "POST",
        url: `/api/sessions/s1/${url}`,
        headers,
        ...(payload !== undefined && { payload }),
      });
      expect([reply.json(), reply.headers["etag"]]).toEqual([WIRE_SESSION, '"7"']);
      return reply;
    };
    expect((await post("cancel")).statusCode).toBe(200);
    await post("cancel", { reason: "wrong branch" }, { "if-match": '"7"' });
    await post("resume");
    await post("resume", {});
    await post("resume", { suspensionId: "q1", answer: "allow_once" });
    await post("resume", { suspensionId: "q1", answer: { result: [1, null] } });
    await post("resume", { suspensionId: "q1", answer: null });
    await post("archive");
    await post("finalize", { outcome: "completed" });
    await post("finalize", { outcome: "failed", summary: "It broke." });
    await post("fail", { reason: "unusable" });
    const forked = await post("fork");
    expect([forked.statusCode, forked.headers["location"]]).toEqual([201, "/api/sessions/s1"]);
    await post("fork", { atMessage: "m1" });
    const answered = { sessionId: "s1", suspensionId: "q1", by: "anyone (no authentication)" };
    expect(requests).toEqual([
      ["cancel", { sessionId: "s1", reason: "on request (anyone (no authentication))" }],
      ["cancel", { sessionId: "s1", version: 7, reason: "wrong branch" }],
      ["resume", { sessionId: "s1" }],
      ["resume", { sessionId: "s1" }],
      ["answer", { ...answered, answer: "allow_once" }],
      ["answer", { ...answered, answer: { result: [1, null] } }],
      ["answer", { ...answered, answer: null }],
      ["archive", { sessionId: "s1" }],
      ["finalize", { sessionId: "s1", outcome: "completed", summary: null }],
      ["finalize", { sessionId: "s1", outcome: "failed", summary: "It broke." }],
      ["fail", { sessionId: "s1", reason: "unusable" }],
      ["fork", { sessionId: "s1", atMessage: null }],
      ["fork", { sessionId: "s1", atMessage: "m1" }],
    ]);
  });

  it("has a resume decision with every check and a reason, even without a session (B3)", async () => {
    const options = { now: NOON, policy: RESUME_POLICY };
    const app = await testApp({
      runtime: {
        findSession: async () => null,
        shouldResume: async (id) => shouldResume(id === "s1" ? session() : "missing", options),
      },
    });
    const yes = await app.inject("/api/sessions/s1/should-resume");
    expect(resumeDecisionSchema.strict().parse(yes.json())).toEqual(
      shouldResume(session(), options),
    );
    const no = await app.inject("/api/sessions/none/should-resume");
    expect([no.statusCode, no.json()]).toMatchObject([
      200,
      { shouldResume: false, reason: "session_not_found" },
    ]);
  });

  it("has a resume decision by the query, and by the configuration for the rest (B3)", async () => {
    const requests: unknown[] = [];
    const app = await testApp({
      runtime: {
        findSession: async () => null,
        shouldResume: async (_, policy) => {
          requests.push(policy);
          return shouldResume("missing", { now: NOON, policy: RESUME_POLICY });
        },
      },
    });
    const ask = (query: string) => app.inject(`/api/sessions/s1/should-resume${query}`);
    await ask("");
    await ask("?timeoutMinutes=0.5&maxErrors=1");
    await ask("?require=workspace,provider,lease,budget");
    await ask("?require=");
    expect(requests).toEqual([
      {},
      { inactiveMs: 30_000, maxErrors: 1 },
      { require: ["workspace", "provider", "lease", "budget"] },
      { require: [] },
    ]);
    for (const query of [
      "timeoutMinutes=0",
      "timeoutMinutes=soon",
      "timeoutMinutes=525601",
      "maxErrors=0",
      "maxErrors=1.5",
      "require=weather",
      "require=lease,",
      "require=lease&require=budget",
    ]) {
      const reply = await ask(`?${query}`);
      const [field = ""] = query.split("=");
      expect([query, reply.statusCode, reply.json().code]).toEqual([query, 400, "invalid_request"]);
      expect(reply.json().errors[0].field).toContain(field);
    }
    expect(requests).toHaveLength(4);
  });
});

describe("other resources over HTTP", () => {
  it("include the inbox of all open suspensions (C3)", async () => {
    const app = await testApp({ runtime: { listSuspensions: async () => [suspension()] } });
    const reply = await app.inject("/api/suspensions");
    expect(suspensionsReplySchema.strict().parse(reply.json())).toEqual({
      suspensions: [
        {
          id: "q1",
          sessionId: "s1",
          runId: "r1",
          kind: "permission",
          request: { title: "rm -r build" },
          createdAt: "2026-01-31T12:00:00.000Z",
          expiresAt: null,
          status: "open",
          answer: null,
          answeredBy: null,
          closedAt: null,
        },
      ],
      unusedAnswers: [],
    });
  });

  it("D1: name the fields of a form that an answer does not fit", async () => {
    const errors = [{ field: "age", message: "must be at most 120" }];
    const { refusal: invalid } = refusal({ code: "answer_invalid", message: "It does not fit." });
    const app = await testApp({
      runtime: { answer: async () => ({ ok: false, refusal: { ...invalid, errors } }) },
    });
    const answer = { action: "accept", content: { age: 200 } };
    const reply = await app.inject({
      method: "POST",
      url: "/api/sessions/s1/resume",
      payload: { suspensionId: "q1", answer },
    });
    expect(reply.statusCode).toBe(422);
    expect(reply.json()).toMatchObject({ code: "answer_invalid", errors });
  });

  it("C3: include allowed actions that were not done, which can be dismissed", async () => {
    const unused = { suspensionId: "q1", title: "Write a.txt", answer: { optionId: "yes" } };
    const shown = { ...unused, sessionId: "s1", runId: "r1", at: NOON };
    const dismissed: object[] = [];
    const app = await testApp({
      runtime: {
        listSuspensions: async () => [],
        listUnusedAnswers: async () => (dismissed.length === 0 ? [shown] : []),
        dismissUnused: async (run) => {
          if (run.sessionId !== "s1") return refusal();
          dismissed.push(run);
          return { ok: true, dismissed: true };
        },
      },
    });
    const inbox = suspensionsReplySchema
      .strict()
      .parse((await app.inject("/api/suspensions")).json());
    expect(inbox).toEqual({
      suspensions: [],
      unusedAnswers: [{ ...shown, at: "2026-01-31T12:00:00.000Z" }],
    });
    const post = (url: string) => app.inject({ method: "POST", url });
    expect((await post("/api/sessions/nobody/runs/r1/dismiss")).statusCode).toBe(404);
    const reply = await post("/api/sessions/s1/runs/r1/dismiss");
    expect([reply.statusCode, reply.json()]).toEqual([200, { suspensions: [], unusedAnswers: [] }]);
    expect(dismissed).toEqual([{ sessionId: "s1", runId: "r1" }]);
  });

  it("C3: include events, and the reply lists the sessions that continue and the problems of the others", async () => {
    const requests: object[] = [];
    const gone = refusal({ code: "suspension_not_open", message: "It is over." }).refusal;
    const app = await testApp({
      runtime: {
        reportEvent: async (event) => {
          requests.push(event);
          const answered = (sessionId: string) => ({ sessionId, suspensionId: `q-${sessionId}` });
          return {
            ok: true,
            reported: [
              { ...answered("s1"), problem: null },
              { ...answered("s2"), problem: gone },
              { ...answered("s3"), problem: new StorageFault("disk_full", "No room.") },
              { ...answered("s4"), problem: new Error("a secret") },
            ],
          };
        },
      },
    });
    const name = `déployé ${"ü".repeat(190)}`;
    const url = `/api/events/${encodeURIComponent(name)}`;
    const reply = await app.inject({ method: "POST", url, payload: { answer: { build: 7 } } });
    const body = reportEventReplySchema.strict().parse(reply.json());
    expect(body).toMatchObject({ event: name, answered: 1 });
    expect(
      body.sessions.map(({ sessionId, answered, problem }) => [sessionId, answered, problem?.code]),
    ).toEqual([
      ["s1", true, undefined],
      ["s2", false, "suspension_not_open"],
      ["s3", false, "disk_full"],
      ["s4", false, "internal_error"],
    ]);
    expect(JSON.stringify(body)).not.toContain("a secret");
    expect(requests).toEqual([{ name, answer: { build: 7 }, by: "anyone (no authentication)" }]);

    expect((await app.inject({ method: "POST", url: "/api/events/x" })).statusCode).toBe(200);
    expect(requests.at(-1)).toEqual({ name: "x", answer: null, by: "anyone (no authentication)" });
    for (const [wrong, payload] of [
      ["/api/events/%20", {}],
      [`/api/events/${"x".repeat(201)}`, {}],
      ["/api/events/x", { reply: 1 }],
    ] as const) {
      const refused = await app.inject({ method: "POST", url: wrong, payload });
      expect([wrong, [400, 404].includes(refused.statusCode)]).toEqual([wrong, true]);
    }
    expect(requests).toHaveLength(2);
  });

  it("include repositories, which are added, listed and removed (A14)", async () => {
    const outside = refusal({ code: "path_outside_root", message: "/etc is outside." });
    const noGit = refusal({ code: "not_a_repository", message: "No Git there." });
    const app = await testApp({
      runtime: {
        addRepo: async ({ path, name }) => {
          if (path === "/etc") return outside;
          return path === "/work"
            ? noGit
            : { ok: true, repo: { ...REPO, name: name ?? "project" } };
        },
        listRepos: async () => [REPO],
        removeRepo: async (id) =>
          id === "repo1"
            ? { ok: true, repo: REPO }
            : refusal({ code: "repository_not_found", message: "No such repository." }),
      },
    });
    const add = (payload: object) => app.inject({ method: "POST", url: "/api/repos", payload });
    const added = await add({ path: "/work/project", name: "mine" });
    expect([added.statusCode, repositorySchema.strict().parse(added.json()).name]).toEqual([
      201,
      "mine",
    ]);
    expect((await add({ path: "/etc" })).json()).toMatchObject({
      status: 403,
      code: "path_outside_root",
    });
    expect((await add({ path: "/work" })).json()).toMatchObject({
      status: 409,
      code: "not_a_repository",
    });
    const listed = repositoriesReplySchema.strict().parse((await app.inject("/api/repos")).json());
    expect(listed.repos.map(({ id }) => id)).toEqual(["repo1"]);
    const remove = async (id: string): Promise<number> =>
      (await app.inject({ method: "DELETE", url: `/api/repos/${id}` })).statusCode;
    expect([await remove("repo1"), await remove("other")]).toEqual([200, 404]);
  });

  it("choose the default provider", async () => {
    const app = await testApp({
      runtime: {
        setDefaultProvider: async (name) =>
          name === "gemini"
            ? { ok: true, providers: [], defaultProvider: name }
            : refuse("provider_unknown", "There is none."),
      },
    });
    const choose = (payload: object) =>
      app.inject({ method: "PATCH", url: "/api/providers", payload });
    const chosen = await choose({ defaultProvider: "gemini" });
    expect([chosen.statusCode, chosen.json()]).toEqual([
      200,
      { providers: [], defaultProvider: "gemini" },
    ]);
    const unknown = await choose({ defaultProvider: "nobody" });
    expect([unknown.statusCode, unknown.json()]).toMatchObject([400, { code: "provider_unknown" }]);
    for (const bad of [{}, { defaultProvider: "" }, { defaultProvider: "demo", more: 1 }])
      expect((await choose(bad)).statusCode).toBe(400);
  });

  it("include providers", async () => {
    const provider = {
      name: "demo",
      title: "Demo",
      installed: true,
      command: ["node", "demo.js"],
      install: null,
      login: null,
      loginStatus: { state: "unknown" as const, label: null },
      loginMethods: [],
      canLogOut: false,
      version: null,
      models: [{ id: "a", name: "A" }],
      modes: [],
      options: [],
      commands: [{ name: "plan", description: "Makes a plan", hint: null }],
      capabilities: { images: true },
    };
    const app = await testApp({
      runtime: { listProviders: async () => ({ providers: [provider], defaultProvider: "demo" }) },
    });
    const reply = await app.inject("/api/providers");
    expect(providersReplySchema.strict().parse(reply.json())).toEqual({
      providers: [provider],
      defaultProvider: "demo",
    });
  });

  it("include statistics of a time range (B7)", async () => {
    const requests: unknown[] = [];
    const ended = { completed: 1, failed: 1, cancelled: 0, interrupted: 0, successRate: 0.5 };
    const used = { inputTokens: 10, outputTokens: 20, cost: { USD: 0.1 } };
    const durationMs = { median: 1, mean: 1.5, total: 3 };
    const group = { ...ended, ...used, sessions: 1, runs: 2, errors: 1, durationMs };
    const bucket = { ...ended, ...used, sessions: 1, resumeRate: null };
    const stats: Stats = {
      sessions: 1,
      resumeRate: null,
      successRate: 0.5,
      total: { ...group, name: null },
      byAgent: [{ ...group, name: "builder" }],
      byProvider: [{ ...group, name: null, durationMs: null }],
      byPhase: [
        { phase: "planning", sessions: 1, durationMs, errors: 1 },
        { phase: "completed", sessions: 1, durationMs: null, errors: 0 },
      ],
      overTime: { bucketMs: 3_600_000, buckets: [{ ...bucket, start: NOON }] },
    };
    const app = await testApp({
      runtime: {
        stats: async (range) => {
          requests.push(range);
          return stats;
        },
      },
    });
    const reply = await app.inject("/api/stats?from=2026-01-31&to=2026-01-31T12:00:00Z");
    expect(statsSchema.strict().parse(reply.json())).toEqual({
      ...stats,
      overTime: {
        bucketMs: 3_600_000,
        buckets: [{ ...bucket, start: "2026-01-31T12:00:00.000Z" }],
      },
    });
    await app.inject("/api/stats");
    expect(requests).toEqual([{ from: Date.UTC(2026, 0, 31), to: NOON }, {}]);
  });
});
