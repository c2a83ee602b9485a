import { describe, expect, it } from "vitest";
import { createClient, type Client } from "./index.ts";
import { NODE, TOKEN } from "./testing/server-replies.ts";
import { AT, REPOSITORY, RUN, SESSION } from "./testing/session-model.ts";
import { bodyOf, openTestServer } from "./testing/test-server.ts";

const SENT = {
  message: {
    id: "m",
    sessionId: "s",
    runId: "run",
    role: "user",
    content: { type: "text", text: "go" },
    complete: true,
    timestamp: AT,
  },
  run: RUN,
  queued: false,
  position: null,
  waitsFor: null,
};
const NO_MESSAGES = { messages: [], earlier: 0, rewoundRuns: [], lastEventId: "3" };
const FOUND = { found: [{ path: "/code/a", name: "a" }], truncated: false };
const COUNTS = { active: 1, suspended: 0, archived: 0, error: 0, badge: 1 };
const LIST = {
  sessions: [SESSION],
  total: 1,
  limit: 20,
  offset: 0,
  nextCursor: null,
  counts: COUNTS,
};
const TOTAL = {
  name: null,
  sessions: 0,
  runs: 0,
  completed: 0,
  failed: 0,
  cancelled: 0,
  interrupted: 0,
  successRate: null,
  errors: 0,
  durationMs: null,
  inputTokens: 0,
  outputTokens: 0,
  cost: {},
};
const STATS = {
  sessions: 0,
  resumeRate: null,
  successRate: null,
  total: TOTAL,
  byAgent: [],
  byProvider: [],
  byPhase: [{ phase: "planning", sessions: 0, durationMs: null, errors: 0 }],
  overTime: { bucketMs: 86_400_000, buckets: [] },
};

interface Route {
  readonly ask: (client: Client) => Promise<unknown>;
  readonly request: string;
  readonly body?: unknown;
  readonly reply: unknown;
}

const ROUTES: readonly Route[] = [
  {
    ask: ({ sessions }) => sessions.create({ repoId: "r", message: "go" }),
    request: "POST /api/sessions",
    body: { repoId: "r", message: "go" },
    reply: { ...SESSION, sent: SENT },
  },
  {
    ask: ({ sessions }) => sessions.create(),
    request: "POST /api/sessions",
    body: {},
    reply: { ...SESSION, sent: null },
  },
  {
    ask: ({ sessions }) =>
      sessions.list({ status: ["active", "error"], q: "a b&c", limit: 5, cursor: undefined }),
    request: "GET /api/sessions?status=active%2Cerror&q=a+b%26c&limit=5",
    reply: LIST,
  },
  {
    ask: ({ sessions }) => sessions.get("s"),
    request: "GET /api/sessions/s",
    reply: { ...SESSION, ...NO_MESSAGES, repo: REPOSITORY },
  },
  {
    ask: ({ sessions }) => sessions.update("s", { title: null, phase: "planning" }),
    request: "PATCH /api/sessions/s",
    body: { title: null, phase: "planning" },
    reply: SESSION,
  },
  {
    ask: ({ sessions }) => sessions.delete("s"),
    request: "DELETE /api/sessions/s",
    reply: SESSION,
  },
  {
    ask: ({ sessions }) => sessions.send("s", { text: "go", delivery: "interrupt" }),
    request: "POST /api/sessions/s/messages",
    body: { text: "go", delivery: "interrupt" },
    reply: SENT,
  },
  {
    ask: ({ sessions }) => sessions.prompt("s", "go"),
    request: "POST /api/sessions/s/prompt",
    body: { text: "go" },
    reply: SENT,
  },
  {
    ask: ({ sessions }) => sessions.messages("s", { after: 3 }),
    request: "GET /api/sessions/s/messages?after=3",
    reply: { messages: [], decisions: [], nextAfter: 3 },
  },
  {
    ask: ({ sessions }) => sessions.raw("s"),
    request: "GET /api/sessions/s/raw",
    reply: {
      row: { id: "s", metadata: "{oops" },
      reason: "metadata is not JSON",
      parts: [{ table: "Run", id: "r", reason: "status is 1", row: { id: "r" } }],
      partCount: 1,
    },
  },
  {
    ask: ({ sessions }) => sessions.list({ provider: "demo", q: "a" }),
    request: "GET /api/sessions?provider=demo&q=a",
    reply: {
      ...LIST,
      hits: [
        {
          sessionId: "s",
          messageId: "m",
          role: "user",
          type: "text",
          text: "an apple",
          marks: [{ start: 0, end: 1 }],
        },
      ],
    },
  },
  {
    ask: ({ sessions }) => sessions.runs("s", { limit: 2, cursor: "c" }),
    request: "GET /api/sessions/s/runs?limit=2&cursor=c",
    reply: {
      runs: [
        {
          ...RUN,
          suspensions: [
            {
              id: "q",
              kind: "question",
              status: "answered",
              answer: "yes",
              answeredBy: "ada",
              createdAt: AT,
              closedAt: AT,
            },
          ],
        },
      ],
      nextCursor: null,
    },
  },
  {
    ask: ({ repos }) => repos.files("r/1", { query: "src/a" }),
    request: "GET /api/repos/r%2F1/files?query=src%2Fa",
    reply: { files: ["src/a.ts"], truncated: false },
  },
  {
    ask: ({ sessions }) => sessions.options("s"),
    request: "GET /api/sessions/s/options",
    reply: { provider: "demo", options: [] },
  },
  {
    ask: ({ sessions }) => sessions.queue("s"),
    request: "GET /api/sessions/s/queue",
    reply: { queue: [] },
  },
  {
    ask: ({ sessions }) => sessions.editQueued("s", "m/1", { position: 0 }),
    request: "PATCH /api/sessions/s/queue/m%2F1",
    body: { position: 0 },
    reply: { queue: [] },
  },
  {
    ask: ({ sessions }) => sessions.withdrawQueued("s", "m"),
    request: "DELETE /api/sessions/s/queue/m",
    reply: { queue: [] },
  },
  {
    ask: ({ sessions }) => sessions.cancel("s", { reason: "enough" }),
    request: "POST /api/sessions/s/cancel",
    body: { reason: "enough" },
    reply: SESSION,
  },
  {
    ask: ({ sessions }) => sessions.resume("s"),
    request: "POST /api/sessions/s/resume",
    body: {},
    reply: SESSION,
  },
  {
    ask: ({ sessions }) => sessions.answer("s", { suspensionId: "w", answer: "allow" }),
    request: "POST /api/sessions/s/resume",
    body: { suspensionId: "w", answer: "allow" },
    reply: SESSION,
  },
  {
    ask: ({ sessions }) => sessions.grants("s"),
    request: "GET /api/sessions/s/grants",
    reply: { grants: [] },
  },
  {
    ask: ({ sessions }) => sessions.revokeGrant("s", "g/1"),
    request: "DELETE /api/sessions/s/grants/g%2F1",
    reply: { grants: [] },
  },
  {
    ask: ({ sessions }) => sessions.archive("s"),
    request: "POST /api/sessions/s/archive",
    body: {},
    reply: SESSION,
  },
  {
    ask: ({ sessions }) => sessions.finalize("s", { outcome: "completed" }),
    request: "POST /api/sessions/s/finalize",
    body: { outcome: "completed" },
    reply: SESSION,
  },
  {
    ask: ({ sessions }) => sessions.fail("s", { reason: "broken" }),
    request: "POST /api/sessions/s/fail",
    body: { reason: "broken" },
    reply: SESSION,
  },
  {
    ask: ({ sessions }) => sessions.fork("s", { atMessage: "m" }),
    request: "POST /api/sessions/s/fork",
    body: { atMessage: "m" },
    reply: SESSION,
  },
  {
    ask: ({ sessions }) => sessions.shouldResume("s"),
    request: "GET /api/sessions/s/should-resume",
    reply: { shouldResume: true, reason: "session_resumable", checks: [] },
  },
  {
    ask: ({ sessions }) =>
      sessions.shouldResume("s", { timeoutMinutes: 5, require: ["workspace", "lease"] }),
    request: "GET /api/sessions/s/should-resume?timeoutMinutes=5&require=workspace%2Clease",
    reply: {
      shouldResume: false,
      reason: "session_busy",
      checks: [{ name: "lease", passed: false, required: true, value: "running", limit: "idle" }],
    },
  },
  {
    ask: ({ sessions }) => sessions.shouldResume("s", { maxErrors: 1, require: [] }),
    request: "GET /api/sessions/s/should-resume?maxErrors=1&require=",
    reply: { shouldResume: false, reason: "budget_used_up", checks: [] },
  },
  {
    ask: ({ suspensions }) => suspensions(),
    request: "GET /api/suspensions",
    reply: { suspensions: [], unusedAnswers: [] },
  },
  {
    ask: ({ dismissUnused }) => dismissUnused("s", "u/1"),
    request: "POST /api/sessions/s/runs/u%2F1/dismiss",
    body: {},
    reply: { suspensions: [], unusedAnswers: [] },
  },
  {
    ask: ({ reportEvent }) => reportEvent("build done/1", { answer: 7 }),
    request: "POST /api/events/build%20done%2F1",
    body: { answer: 7 },
    reply: {
      event: "build done/1",
      answered: 1,
      sessions: [{ sessionId: "s", suspensionId: "w", answered: true, problem: null }],
    },
  },
  {
    ask: ({ reportEvent }) => reportEvent("done"),
    request: "POST /api/events/done",
    body: {},
    reply: { event: "done", answered: 0, sessions: [] },
  },
  { ask: ({ repos }) => repos.list(), request: "GET /api/repos", reply: { repos: [REPOSITORY] } },
  { ask: ({ repos }) => repos.find(), request: "GET /api/repos/found", reply: FOUND },
  {
    ask: ({ repos }) => repos.add({ path: "/code/r" }),
    request: "POST /api/repos",
    body: { path: "/code/r" },
    reply: REPOSITORY,
  },
  { ask: ({ repos }) => repos.remove("r"), request: "DELETE /api/repos/r", reply: REPOSITORY },
  {
    ask: ({ repos }) => repos.add({ path: "/code/r", label: "gpu" }),
    request: "POST /api/repos",
    body: { path: "/code/r", label: "gpu" },
    reply: { ...REPOSITORY, label: "gpu" },
  },
  {
    ask: ({ checkDatabase }) => checkDatabase(),
    request: "POST /api/database/check",
    reply: { damage: [] },
  },
  { ask: ({ nodes }) => nodes.list(), request: "GET /api/nodes", reply: { nodes: [NODE] } },
  {
    ask: ({ nodes }) => nodes.drain("one"),
    request: "POST /api/nodes/one/drain",
    body: {},
    reply: { ...NODE, draining: true },
  },
  {
    ask: ({ nodes }) => nodes.drain("one", { draining: false }),
    request: "POST /api/nodes/one/drain",
    body: { draining: false },
    reply: NODE,
  },
  { ask: ({ tokens }) => tokens.list(), request: "GET /api/tokens", reply: { tokens: [TOKEN] } },
  {
    ask: ({ tokens }) => tokens.create({ name: "ci", scope: "read", expiresInDays: 30 }),
    request: "POST /api/tokens",
    body: { name: "ci", scope: "read", expiresInDays: 30 },
    reply: { ...TOKEN, token: "hf_secret" },
  },
  {
    ask: ({ tokens }) => tokens.revoke("t/1"),
    request: "DELETE /api/tokens/t%2F1",
    reply: { ...TOKEN, revokedAt: AT },
  },
  {
    ask: ({ providers }) => providers(),
    request: "GET /api/providers",
    reply: { providers: [], defaultProvider: "demo" },
  },
  {
    ask: ({ updateProviders }) => updateProviders({ defaultProvider: "gemini" }),
    request: "PATCH /api/providers",
    body: { defaultProvider: "gemini" },
    reply: { providers: [], defaultProvider: "gemini" },
  },
  {
    ask: ({ stats }) => stats({ from: "2026-01-01" }),
    request: "GET /api/stats?from=2026-01-01",
    reply: STATS,
  },
  {
    ask: ({ health }) => health(),
    request: "GET /healthz",
    reply: { status: "ok", version: "1.2.3" },
  },
];

describe("the client", () => {
  it.each(ROUTES)("asks $request and takes the reply", async ({ ask, request, body, reply }) => {
    const asked: unknown[] = [];
    const server = await openTestServer(async (incoming, response) => {
      const text = await bodyOf(incoming);
      asked.push({
        request: `${incoming.method} ${incoming.url}`,
        type: incoming.headers["content-type"],
        body: text === "" ? undefined : JSON.parse(text),
      });
      response.end(JSON.stringify(reply));
    });
    try {
      expect(await ask(createClient({ url: server.url }))).toEqual(reply);
      const type = body === undefined ? undefined : "application/json";
      expect(asked).toEqual([{ request, type, body }]);
    } finally {
      await server.close();
    }
  });
});
