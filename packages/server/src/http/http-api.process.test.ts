import {
  createSessionReplySchema,
  queueReplySchema,
  repositoriesReplySchema,
  sendMessageReplySchema,
  suspensionsReplySchema,
} from "@holdfast/protocol";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { z } from "zod";
import { ask, say, script, waitFor } from "../providers/testing/script.ts";
import { TestRuntime } from "../runtime/testing/test-runtime.ts";
import { buildApp } from "./build-app.ts";
import { type App } from "./app.ts";
import { EventReader, readWhole, sessionIn } from "./testing/event-reader.ts";
import { listen } from "./testing/test-app.ts";

let test: TestRuntime;
let app: App;
let url: string;

beforeEach(async () => {
  test = await TestRuntime.open({ limits: { liveAgents: 1 } });
  app = await buildApp({
    runtime: test.runtime,
    version: "1.2.3",
    startedAt: new Date(),
    token: null,
    webFolder: null,
  });
  url = `http://127.0.0.1:${await listen(app)}`;
});
afterEach(async () => {
  await app.close();
  await test.close();
});

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

async function call(method: string, where: string, body?: unknown, headers = {}): Promise<Answer> {
  const response = await fetch(`${url}${where}`, {
    method,
    headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

function bodyOf<Body>({ body }: Answer, schema: z.ZodType<Body>): Body {
  return schema.parse(body);
}

const sentIn = (answer: Answer) => bodyOf(answer, sendMessageReplySchema.strict());

const post = (where: string, body?: unknown, headers = {}) => call("POST", where, body, headers);

async function newSession(more: object = {}): Promise<string> {
  const created = await post("/api/sessions", { repoId: test.repoId, ...more });
  expect(created.status).toBe(201);
  return bodyOf(created, createSessionReplySchema.strict()).id;
}

/** A step that holds the agent until the test opens the gate. */
function gate(name: string): {
  readonly step: ReturnType<typeof waitFor>;
  readonly open: () => void;
} {
  const file = path.join(test.folder, name);
  return { step: waitFor(file), open: () => writeFileSync(file, "") };
}

describe("the HTTP API on a real runtime", () => {
  it("creates an idle session, sends, streams to clients, and returns the same afterwards (A1, A2, A6, C7, C10)", async () => {
    const id = await newSession({ title: "The build" });
    expect(await readWhole(url, id)).toMatchObject({
      status: "active",
      state: "idle",
      repo: { id: test.repoId, path: test.repoPath },
      messages: [],
    });
    const reader = await EventReader.from(url, id);
    const reading = reader.read(({ events }) =>
      events.some(
        ({ type, data }) => type === "run" && "status" in data && data.status === "completed",
      ),
    );
    const sent = await post(`/api/sessions/${id}/messages`, {
      text: script(say("The linker "), say("is old.")),
    });
    expect([sent.status, sent.body]).toMatchObject([
      202,
      { message: { sessionId: id, role: "user" }, queued: false, position: null },
    ]);
    await reading;
    await test.idle(id);
    await reader.read(({ session }) => (session as { state: string }).state === "idle");
    const whole = await readWhole(url, id);
    expect(reader.messages).toEqual(whole.messages);
    expect(whole.messages.map(({ role, content }) => [role, content["text"]]).at(-1)).toEqual([
      "agent",
      "The linker is old.",
    ]);
    expect(await call("GET", "/api/sessions")).toMatchObject({
      body: { total: 1, sessions: [{ id, title: "The build" }], counts: { badge: 1 } },
    });
  });

  it("gives a reader that is disconnected anywhere exactly the data of GET, and nothing twice (C7, P4)", async () => {
    const id = await newSession();
    const words = Array.from({ length: 30 }, (_, index) => `word${index} `);
    const half = gate("half");
    const text = script(
      ...words.map((word) => say(word)),
      half.step,
      ...words.map((word) => say(word)),
    );
    await post(`/api/sessions/${id}/messages`, { text });
    const reader = new EventReader(url, id);
    const isOver = ({ events }: EventReader): boolean =>
      events.some((event) => event.type === "run" && event.data.status === "completed");
    for (let cuts = 0; !isOver(reader); cuts += 1) {
      const seen = reader.events.length;
      await reader.read((now) => now.events.length > seen + (cuts % 4) || isOver(now));
      half.open();
    }
    await test.idle(id);
    const final = sessionIn(await readWhole(url, id));
    const isSame = ({ session }: EventReader): boolean => isDeepStrictEqual(session, final);
    if (!isSame(reader)) await reader.read(isSame);
    const shown = await readWhole(url, id);
    expect(reader.messages).toEqual(shown.messages);
    expect(reader.session).toEqual(sessionIn(shown));
    const rising = reader.positions.toSorted((left, right) => left - right);
    expect(reader.positions).toEqual([...new Set(rising)]);
  });

  it("keeps a permission open until it is answered over HTTP (C3, C10)", async () => {
    const id = await newSession();
    const question = { id: "t1", title: "Write a.txt", kind: "edit", input: { path: "a.txt" } };
    await post(`/api/sessions/${id}/messages`, { text: script(ask(question), say(" Good.")) });
    await test.until(id, ({ session }) => session.state === "suspended");
    const inbox = await call("GET", "/api/suspensions");
    const [suspension] = bodyOf(inbox, suspensionsReplySchema.strict()).suspensions;
    expect(suspension).toMatchObject({ sessionId: id, request: { title: "Write a.txt" } });
    const resume = (answer: unknown) =>
      post(`/api/sessions/${id}/resume`, { suspensionId: suspension?.id, answer });
    expect(await resume("perhaps")).toMatchObject({
      status: 422,
      body: { code: "answer_invalid" },
    });
    expect(await resume("allow")).toMatchObject({ status: 200, body: { id, suspension: null } });
    await test.idle(id);
    expect((await readWhole(url, id)).messages.at(-1)?.content["text"]).toContain(
      "answer: allow Good.",
    );
    expect(await resume("reject")).toMatchObject({
      status: 409,
      body: { sessionStatus: "active" },
    });
  });

  it("queues messages for a busy session, shows and changes the queue, and cancels (C4, C6)", async () => {
    const id = await newSession();
    const never = gate("never");
    const messages = `/api/sessions/${id}/messages`;
    await post(messages, { text: script(say("working"), never.step) });
    const first = sentIn(await post(messages, { text: "one" }));
    const second = sentIn(await post(messages, { text: "two" }));
    expect([first.position, second.position]).toEqual([0, 1]);
    expect(await post(messages, { text: "three", delivery: "reject" })).toMatchObject({
      status: 409,
      body: { code: "session_busy", sessionStatus: "active", sessionState: "running" },
    });
    const moved = await call("PATCH", `/api/sessions/${id}/queue/${second.message.id}`, {
      position: 0,
    });
    const { queue } = bodyOf(moved, queueReplySchema.strict());
    expect(queue.map(({ content }) => content["text"])).toEqual(["two", "one"]);
    const withdrawn = await call("DELETE", `/api/sessions/${id}/queue/${first.message.id}`);
    expect(bodyOf(withdrawn, queueReplySchema.strict()).queue).toHaveLength(1);
    await call("DELETE", `/api/sessions/${id}/queue/${second.message.id}`);
    const cancelled = await post(`/api/sessions/${id}/cancel`, { reason: "wrong branch" });
    expect(cancelled).toMatchObject({ status: 200, body: { status: "active", state: "idle" } });
    expect((await readWhole(url, id)).messages.at(-1)).toMatchObject({
      role: "system",
      content: { text: "Cancelled: wrong branch" },
    });
  });

  it("executes a request with the same key once, and refuses another request with it (A6)", async () => {
    const key = { "idempotency-key": "k1" };
    const create = () => post("/api/sessions", { repoId: test.repoId }, key);
    const created = await create();
    expect(await create()).toEqual(created);
    const { id } = bodyOf(created, createSessionReplySchema.strict());
    const send = (text: string) =>
      post(`/api/sessions/${id}/messages`, { text }, { "idempotency-key": "k2" });
    const sent = await send("hello");
    await test.idle(id);
    const again = await send("hello");
    expect([again.status, sentIn(again).message]).toEqual([202, sentIn(sent).message]);
    expect(await send("other")).toMatchObject({
      status: 422,
      body: { code: "idempotency_key_reused" },
    });
    const { messages } = await readWhole(url, id);
    expect(messages.filter(({ role }) => role === "user")).toHaveLength(1);
  });

  it("resets the errors of a session on request, which can then be resumed again (B2, B3)", async () => {
    const id = await newSession();
    const patch = (changes: object) => call("PATCH", `/api/sessions/${id}`, changes);
    const decision = async () => (await call("GET", `/api/sessions/${id}/should-resume`)).body;
    await patch({ phase: "approval" });
    for (const error of ["one", "two", "three"]) await patch({ error });
    expect(await decision()).toMatchObject({ reason: "too_many_errors" });
    expect((await patch({ resetErrors: false })).body).toMatchObject({ errorCount: 3 });
    expect((await patch({ resetErrors: true })).body).toMatchObject({
      errorCount: 0,
      lastError: "three",
      lastErrorAt: expect.stringMatching(/Z$/u),
    });
    expect(await decision()).toMatchObject({ shouldResume: true });
  });

  it("changes a session only if it has not changed since the client read it", async () => {
    const id = await newSession();
    const { version } = await readWhole(url, id);
    const patch = (title: string) =>
      call("PATCH", `/api/sessions/${id}`, { title }, { "if-match": `"${version}"` });
    expect((await patch("first")).body).toMatchObject({ title: "first" });
    expect(await patch("second")).toMatchObject({
      status: 412,
      body: { code: "version_mismatch" },
    });
    expect((await readWhole(url, id)).title).toBe("first");
  });

  it("answers 429 at the limit of agents, and queues a message until a slot is free (A11)", async () => {
    const busy = await newSession();
    const done = gate("done");
    await post(`/api/sessions/${busy}/messages`, { text: script(done.step) });
    const refused = await fetch(`${url}/api/sessions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ repoId: test.repoId, message: { text: "more" } }),
    });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"]);
    done.open();
    await test.idle(busy);
    await expect.poll(async () => (await test.runtime.measure()).busyAgents).toBe(0);
    expect((await post("/api/sessions", { repoId: test.repoId })).status).toBe(201);
  });

  it("archives permanently: 409 with the status, and hidden by default (A4, A6, A9)", async () => {
    const id = await newSession();
    expect((await post(`/api/sessions/${id}/archive`)).body).toMatchObject({ status: "archived" });
    expect(await post(`/api/sessions/${id}/prompt`, { text: "hello" })).toMatchObject({
      status: 409,
      body: { code: "session_archived", sessionStatus: "archived", sessionState: "idle" },
    });
    expect((await call("GET", "/api/sessions")).body).toMatchObject({
      total: 0,
      counts: { badge: 0, archived: 1 },
    });
    expect((await call("GET", "/api/sessions?status=archived")).body).toMatchObject({ total: 1 });
  });

  it("exports a session, and imports it again after a deletion, which ends its streams (C8)", async () => {
    const id = await newSession({ title: "The build" });
    await post(`/api/sessions/${id}/messages`, { text: "hello" });
    await test.idle(id);
    const before = await readWhole(url, id);
    const bundle = await (await fetch(`${url}/api/sessions/${id}/export`)).text();
    const reader = new EventReader(url, id);
    const ended = reader.read(() => false);
    await new EventReader(url, id).read(({ events }) => events.length > 0);
    expect((await call("DELETE", `/api/sessions/${id}`)).body).toMatchObject({
      id,
      title: "The build",
    });
    expect(await ended).toBe(true);
    expect(reader.events.at(-1)).toEqual({ type: "deleted", data: { id, deleted: true } });
    expect((await call("GET", `/api/sessions/${id}`)).status).toBe(404);
    const response = await fetch(`${url}/api/sessions/import`, {
      method: "POST",
      headers: { "content-type": "application/jsonl" },
      body: bundle,
    });
    expect([response.status, await response.json()]).toMatchObject([
      201,
      { id, title: "The build" },
    ]);
    const after = await readWhole(url, id);
    expect(after.messages.slice(0, before.messages.length)).toEqual(before.messages);
  });

  it("returns metrics, statistics, providers and repositories", async () => {
    const id = await newSession({ agentName: "builder" });
    await post(`/api/sessions/${id}/messages`, { text: "hello" });
    await test.idle(id);
    expect((await call("GET", "/api/stats")).body).toMatchObject({ sessions: 1, successRate: 1 });
    expect((await call("GET", "/api/providers")).body).toMatchObject({
      defaultProvider: "scripted",
    });
    expect(
      bodyOf(await call("GET", "/api/repos"), repositoriesReplySchema.strict()).repos,
    ).toHaveLength(1);
    expect(await post("/api/repos", { path: "/etc" })).toMatchObject({
      status: 403,
      body: { code: "path_outside_root" },
    });
    const metrics = async (): Promise<string> => (await fetch(`${url}/metrics`)).text();
    await expect.poll(metrics).toContain('holdfast_runs_ended_total{outcome="completed"} 1');
    expect(await metrics()).toMatch(/^holdfast_event_lag_seconds_count [1-9]/mu);
  });
});
