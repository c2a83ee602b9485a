import {
  historySchema,
  LIMITS,
  messagesReplySchema,
  queueReplySchema,
  runsReplySchema,
  sendMessageReplySchema,
  wholeRunSchema,
} from "@holdfast/protocol";
import { describe, expect, it } from "vitest";
import { MAX_ANSWER } from "../../runtime/requests/read-run.ts";
import type { ReadMessages, ReadRuns, SendMessage } from "../../runtime/runtime.ts";
import { message, messageJson, NOON, queued, refusal, run, sent } from "../testing/samples.ts";
import { testApp } from "../testing/test-app.ts";

const WIRE_RUN = {
  id: "r1",
  sessionId: "s1",
  messageId: "m1",
  status: "running",
  provider: "demo",
  model: null,
  attempts: 1,
  stopReason: null,
  error: null,
  usage: null,
  memory: null,
  unusedAnswers: [],
  changes: null,
  rewoundAt: null,
  queuedAt: "2026-01-31T12:00:00.000Z",
  startedAt: "2026-01-31T12:00:00.001Z",
  endedAt: null,
};

async function sending() {
  const requests: SendMessage[] = [];
  const app = await testApp({
    runtime: {
      sendMessage: async (request) => {
        requests.push(request);
        return { ok: true, sent: sent({ queued: true, position: 0, waitsFor: "a place" }) };
      },
    },
  });
  const post = (url: string, payload: object, headers = {}) =>
    app.inject({ method: "POST", url: `/api/sessions/s1/${url}`, payload, headers });
  return { requests, post };
}

describe("messages over HTTP", () => {
  it("are accepted, and the reply has their run and position (A6, C10)", async () => {
    const { post } = await sending();
    for (const url of ["messages", "prompt"]) {
      const reply = await post(url, { text: "hello" });
      expect(reply.statusCode).toBe(202);
      expect(sendMessageReplySchema.strict().parse(reply.json())).toEqual({
        message: {
          id: "m1",
          sessionId: "s1",
          runId: "r1",
          role: "user",
          content: { type: "text", text: "hello", partial: false },
          complete: true,
          timestamp: "2026-01-31T12:00:00.000Z",
        },
        run: WIRE_RUN,
        queued: true,
        position: 0,
        waitsFor: "a place",
      });
    }
  });

  it("accept either name of the provider, but not both (C10)", async () => {
    const { requests, post } = await sending();
    await post("messages", { text: "hello", provider_id: "demo", model: "demo-fast" });
    expect(requests).toMatchObject([{ provider: "demo", model: "demo-fast" }]);
    const both = await post("messages", { text: "hello", provider_id: "demo", provider: "demo" });
    expect([both.statusCode, both.json()]).toMatchObject([
      400,
      { code: "invalid_request", errors: [{ field: "provider_id" }] },
    ]);
  });

  it("have the delivery `queue` and the continuity `auto` by default", async () => {
    const { requests, post } = await sending();
    await post("messages", { text: "hello" });
    await post("prompt", { text: "hello" });
    const all = { provider: "demo", model: "m", delivery: "interrupt", continuity: "required" };
    await post("messages", { text: "hello", ...all });
    const usual = {
      sessionId: "s1",
      content: { type: "text", text: "hello" },
      provider: null,
      model: null,
      delivery: "queue",
      continuity: "auto",
      idempotency: null,
    };
    expect(requests).toEqual([usual, usual, { ...usual, ...all }]);
  });

  it("have parts if there is more than text", async () => {
    const { requests, post } = await sending();
    const image = { type: "image", data: "…", mimeType: "image/png" };
    for (const content of [
      [{ type: "text", text: "one" }],
      [{ type: "text", text: "one" }, image],
      [image],
      [{ type: "text", text: "one", annotations: {} }],
    ]) {
      await post("messages", { content });
    }
    expect(requests.map(({ content }) => content)).toEqual([
      { type: "text", text: "one" },
      { type: "parts", parts: [{ type: "text", text: "one" }, image] },
      { type: "parts", parts: [image] },
      { type: "parts", parts: [{ type: "text", text: "one", annotations: {} }] },
    ]);
  });

  it("carry the client's key and a digest of the request", async () => {
    const { requests, post } = await sending();
    const key = { "idempotency-key": "k 1" };
    await post("messages", { text: "hello", model: "m" }, key);
    await post("messages", { model: "m", text: "hello" }, key);
    await post("messages", { model: "m", text: "hello", delivery: "queue" }, key);
    await post("messages", { text: "other" }, key);
    await post("prompt", { text: "other" }, key);
    const digests = requests.map(({ idempotency }) => idempotency?.requestHash);
    expect(requests.every(({ idempotency }) => idempotency?.key === "k 1")).toBe(true);
    expect(digests[0]).toMatch(/^[0-9a-f]{64}$/u);
    expect(digests.slice(1, 3)).toEqual([digests[0], digests[0]]);
    expect(new Set(digests).size).toBe(3);
  });

  const DECIDED = {
    id: "q1",
    runId: "r1",
    callId: "c1",
    status: "answered",
    chosen: "allow_once",
    answeredBy: "browser",
    closedAt: NOON,
  } as const;

  it("are read since a time or after a number, with the position of the next page (A5)", async () => {
    const requests: ReadMessages[] = [];
    const app = await testApp({
      runtime: {
        readMessages: async (query) => {
          requests.push(query);
          return { ok: true, messages: messageJson(message()), decisions: [DECIDED], nextAfter: 3 };
        },
      },
    });
    const url = "/api/sessions/s1/messages";
    const reply = await app.inject(url);
    expect(messagesReplySchema.strict().parse(reply.json())).toMatchObject({
      messages: [{ id: "m1", seq: 3 }],
      decisions: [
        {
          suspensionId: "q1",
          callId: "c1",
          chosen: "allow_once",
          closedAt: new Date(NOON).toISOString(),
        },
      ],
      nextAfter: 3,
    });
    await app.inject(`${url}?after=3&limit=50`);
    await app.inject(`${url}?since=2026-01-31T12:00:00Z`);
    await app.inject(`${url}?before=9&limit=50`);
    const both = await app.inject(`${url}?before=9&after=3`);
    expect([both.statusCode, both.json()]).toMatchObject([400, { errors: [{ field: "before" }] }]);
    expect(requests.map(({ format: _, ...query }) => query)).toEqual([
      { sessionId: "s1", limit: 1000 },
      { sessionId: "s1", limit: 50, after: 3 },
      { sessionId: "s1", limit: 1000, since: NOON },
      { sessionId: "s1", limit: 50, before: 9 },
    ]);
  });
});

describe("the queue over HTTP", () => {
  it("is read, edited, reordered and emptied (C6)", async () => {
    const requests: unknown[] = [];
    const answer = async (request: unknown) => {
      requests.push(request);
      return { ok: true as const, queue: [queued()] };
    };
    const app = await testApp({
      runtime: { readQueue: answer, editQueued: answer, withdrawQueued: answer },
    });
    const url = "/api/sessions/s1/queue";
    const read = await app.inject(url);
    expect(queueReplySchema.strict().parse(read.json())).toEqual({
      queue: [
        {
          messageId: "m2",
          runId: "r2",
          content: { type: "text", text: "and then" },
          provider: null,
          model: null,
          queuedAt: "2026-01-31T12:00:00.000Z",
        },
      ],
    });
    const patch = (payload: object, headers = {}) =>
      app.inject({ method: "PATCH", url: `${url}/m2`, payload, headers });
    expect((await patch({ text: "so" })).json()).toEqual(read.json());
    await patch({ position: 0 }, { "if-match": '"7"' });
    await patch({ content: [{ type: "text", text: "so" }], position: 1 });
    await app.inject({ method: "DELETE", url: `${url}/m2`, headers: { "if-match": '"7"' } });
    expect(requests).toEqual([
      "s1",
      { sessionId: "s1", messageId: "m2", content: { type: "text", text: "so" } },
      { sessionId: "s1", version: 7, messageId: "m2", position: 0 },
      { sessionId: "s1", messageId: "m2", content: { type: "text", text: "so" }, position: 1 },
      { sessionId: "s1", version: 7, messageId: "m2" },
    ]);
  });
});

describe("the runs of a session", () => {
  it("are listed in pages with their outcomes and answers", async () => {
    const requests: ReadRuns[] = [];
    const app = await testApp({
      runtime: {
        readRuns: async (query) => {
          requests.push(query);
          return {
            ok: true,
            runs: [
              {
                ...run({ status: "completed", usage: { inputTokens: 3 }, endedAt: NOON + 5 }),
                suspensions: [
                  {
                    id: "q1",
                    runId: "r1",
                    kind: "permission",
                    status: "answered",
                    answer: { optionId: "allow_once" },
                    answeredBy: "ada",
                    createdAt: NOON + 2,
                    closedAt: NOON + 3,
                  },
                ],
              },
            ],
            next: query.after === undefined ? { at: NOON, id: "r1" } : null,
          };
        },
      },
    });
    const first = await app.inject("/api/sessions/s1/runs");
    const page = runsReplySchema.strict().parse(first.json());
    expect(page).toEqual({
      runs: [
        {
          id: "r1",
          sessionId: "s1",
          messageId: "m1",
          status: "completed",
          provider: "demo",
          model: null,
          attempts: 1,
          stopReason: null,
          error: null,
          usage: { inputTokens: 3 },
          memory: null,
          unusedAnswers: [],
          changes: null,
          rewoundAt: null,
          queuedAt: "2026-01-31T12:00:00.000Z",
          startedAt: "2026-01-31T12:00:00.001Z",
          endedAt: "2026-01-31T12:00:00.005Z",
          suspensions: [
            {
              id: "q1",
              kind: "permission",
              status: "answered",
              answer: { optionId: "allow_once" },
              answeredBy: "ada",
              createdAt: "2026-01-31T12:00:00.002Z",
              closedAt: "2026-01-31T12:00:00.003Z",
            },
          ],
        },
      ],
      nextCursor: expect.any(String),
    });
    const second = await app.inject(`/api/sessions/s1/runs?limit=5&cursor=${page.nextCursor}`);
    expect(second.json()).toMatchObject({ nextCursor: null });
    await app.inject("/api/sessions/s1/runs?status=running,suspended");
    expect(requests).toEqual([
      { sessionId: "s1", limit: 20 },
      { sessionId: "s1", limit: 5, after: { at: NOON, id: "r1" } },
      { sessionId: "s1", limit: 20, statuses: ["running", "suspended"] },
    ]);
  });

  it("are not found without their session or with an invalid cursor", async () => {
    const app = await testApp({ runtime: { readRuns: async () => refusal() } });
    expect((await app.inject("/api/sessions/s1/runs")).statusCode).toBe(404);
    for (const query of ["cursor=nonsense", "limit=0", "limit=101", "limit=x"]) {
      const reply = await app.inject(`/api/sessions/s1/runs?${query}`);
      expect([query, reply.statusCode, reply.json().code]).toEqual([query, 400, "invalid_request"]);
    }
  });
});

describe("one run", () => {
  const asked: unknown[] = [];
  const RUN = { ...run({ status: "completed", endedAt: NOON + 5 }), suspensions: [] };

  it("has the answer of its agent (D6)", async () => {
    const app = await testApp({
      runtime: {
        readRun: async (query) => {
          asked.push(query);
          const answer = { answer: "Done.", answerCut: false, step: "ls" };
          return { ok: true, run: { ...RUN, ...answer } };
        },
      },
    });
    const reply = await app.inject("/api/sessions/s1/runs/r1");
    expect(wholeRunSchema.strict().parse(reply.json())).toMatchObject({
      id: "r1",
      status: "completed",
      answer: "Done.",
      step: "ls",
    });
    expect(asked).toEqual([{ sessionId: "s1", runId: "r1" }]);
  });

  it("has as much of the answer as the description of the API says (D6)", () => {
    expect(MAX_ANSWER).toBe(LIMITS.answerTextLength);
  });
});

describe("the history of a session", () => {
  it("is text, with what was asked for (D6)", async () => {
    const asked: unknown[] = [];
    const app = await testApp({
      runtime: {
        readHistory: async (query) => {
          asked.push(query);
          const entry = { seq: 3, role: "agent", at: NOON, text: "Done.", cut: 0 } as const;
          return { ok: true, messages: [entry], leftOut: 2 };
        },
      },
    });
    const reply = await app.inject("/api/sessions/s1/history?limit=1&after=2&search=done");
    expect(historySchema.strict().parse(reply.json())).toEqual({
      messages: [
        { seq: 3, role: "agent", timestamp: "2026-01-31T12:00:00.000Z", text: "Done.", cut: 0 },
      ],
      leftOut: 2,
    });
    await app.inject("/api/sessions/s1/history");
    expect(asked).toEqual([
      { sessionId: "s1", limit: 1, after: 2, search: "done" },
      { sessionId: "s1", limit: 20, after: null, search: null },
    ]);
    expect((await app.inject("/api/sessions/s1/history?limit=0")).statusCode).toBe(400);
  });
});
