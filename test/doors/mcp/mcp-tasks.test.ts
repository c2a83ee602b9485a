import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  ask,
  elicit,
  fail,
  form,
  say,
  script,
  waitFor,
} from "../../../packages/server/src/providers/testing/script.ts";
import { openMcpWorld, type McpWorld } from "./mcp-world.ts";
import { askRaw, resultOf, WITH_FORMS, WITH_TASKS, type RawMcp } from "./raw-mcp.ts";

let world: McpWorld;
let from: RawMcp;

beforeEach(async () => {
  world = await openMcpWorld({ agents: { unattendedSeconds: 60 } });
  from = as(WITH_FORMS);
});
afterEach(async () => {
  await world.end();
});

const as = (capabilities: RawMcp["capabilities"], token = world.server().token): RawMcp => ({
  url: world.server().url,
  token,
  capabilities,
});
const file = (name: string): string => path.join(world.root, name);

async function newSession(): Promise<string> {
  const call = { name: "create_session", arguments: {} };
  const { structuredContent } = await resultOf(as({}), "tools/call", call);
  return String((structuredContent as Record<string, unknown>)["id"]);
}

/** The ID of the task of a message. */
async function begin(session: string, text: string, more: object = {}): Promise<string> {
  const call = { name: "send_message", arguments: { session, text, ...more } };
  const created = await resultOf(from, "tools/call", call);
  expect(created).toMatchObject({ resultType: "task", status: "working", ttlMs: null });
  return String(created["taskId"]);
}

const get = (taskId: string, by = from) => resultOf(by, "tasks/get", { taskId });
const until = async (taskId: string, status: string, by = from) => {
  await expect.poll(() => get(taskId, by)).toMatchObject({ status });
  return get(taskId, by);
};

describe("a call that takes long", () => {
  it("is a task whose result is the answer of the agent (D6)", async () => {
    const session = await newSession();
    const taskId = await begin(session, script(say("one "), waitFor(file("go")), say("two")));
    expect(await until(taskId, "working")).toMatchObject({
      resultType: "complete",
      taskId,
      statusMessage: "The agent works.",
      pollIntervalMs: expect.any(Number),
    });
    writeFileSync(file("go"), "");
    expect(await until(taskId, "completed")).toMatchObject({
      result: {
        content: [{ type: "text", text: "one two" }],
        structuredContent: { session, status: "completed" },
      },
    });
  });

  it("is still there after kill -9 of the server, with every word and the question once (D6)", async () => {
    const session = await newSession();
    const text = script(
      say("before "),
      waitFor(file("go")),
      ask({ id: "t1", title: "Write b.ts" }),
      say(" after"),
    );
    const taskId = await begin(session, text);
    await world.kill();
    writeFileSync(file("go"), "");
    await world.start();
    from = as(WITH_FORMS);
    const waiting = await until(taskId, "input_required");
    const [key = ""] = Object.keys(waiting["inputRequests"] as object);
    await world.kill();
    await world.start();
    from = as(WITH_FORMS);
    expect(Object.keys((await until(taskId, "input_required"))["inputRequests"] as object)).toEqual(
      [key],
    );
    const inputResponses = { [key]: { action: "accept", content: { answer: "allow" } } };
    await resultOf(from, "tasks/update", { taskId, inputResponses });
    expect(await until(taskId, "completed")).toMatchObject({
      result: { structuredContent: { answer: expect.stringMatching(/answer: allow\s* after$/u) } },
    });
    const { messages } = await world.client().sessions.get(session);
    expect(messages.filter(({ role }) => role === "user")).toHaveLength(1);
    const said = messages
      .filter(({ role }) => role === "agent")
      .map(({ content }) => content["text"])
      .join("");
    expect(said.match(/before/gu)).toHaveLength(1);
  });

  it("waits for several answers, given one after the other; others may answer too (D6)", async () => {
    const session = await newSession();
    const taskId = await begin(
      session,
      script({
        step: "ask-all",
        asks: [
          { id: "a", title: "First" },
          { id: "b", title: "Second" },
          { id: "c", title: "Third" },
        ],
      }),
    );
    const keysOf = async () => {
      const { inputRequests } = await get(taskId);
      return Object.keys((inputRequests ?? {}) as object);
    };
    await expect.poll(keysOf).toHaveLength(3);
    const [first = "", second = "", third = ""] = await keysOf();
    const allow = { action: "accept", content: { answer: "allow" } };
    const unknown = { nobody: allow };
    await resultOf(from, "tasks/update", {
      taskId,
      inputResponses: { [first]: allow, ...unknown },
    });
    await expect.poll(keysOf).toEqual([second, third]);
    // Closing a dialog is no answer.
    await resultOf(from, "tasks/update", {
      taskId,
      inputResponses: { [second]: { action: "cancel" } },
    });
    expect(await keysOf()).toEqual([second, third]);
    await world.client().sessions.answer(session, { suspensionId: second, answer: "allow" });
    await resultOf(from, "tasks/update", {
      taskId,
      inputResponses: { [second]: { action: "decline" }, [third]: { action: "decline" } },
    });
    const { result } = await until(taskId, "completed");
    expect(JSON.stringify(result)).toMatch(/answers: allow, allow, reject/u);
  });

  it("asks with the form of the agent, and refuses values that do not fit (D6)", async () => {
    const session = await newSession();
    const asked = form("Which port?", { port: { type: "integer", minimum: 1 } }, ["port"]);
    const taskId = await begin(session, script(elicit(asked)));
    const waiting = await until(taskId, "input_required");
    const [entry] = Object.entries(waiting["inputRequests"] as object);
    const [key, request] = entry ?? ["", null];
    expect(request).toMatchObject({
      method: "elicitation/create",
      params: { mode: "form", message: "Which port?", requestedSchema: { required: ["port"] } },
    });
    const answer = (port: unknown) =>
      askRaw(from, "tasks/update", {
        taskId,
        inputResponses: { [key]: { action: "accept", content: { port } } },
      });
    expect((await answer("many")).error).toMatchObject({ code: -32_602 });
    expect(await get(taskId)).toMatchObject({ status: "input_required" });
    expect((await answer(8080)).result).toMatchObject({ resultType: "complete" });
    expect(JSON.stringify(await until(taskId, "completed"))).toContain("8080");
  });

  it("can be cancelled at work and in the queue, and only then (D6)", async () => {
    const session = await newSession();
    const working = await begin(session, script(waitFor(file("never"))));
    const queued = await begin(session, script(say("second")));
    const third = await begin(session, script(say("third")));
    expect(await get(queued)).toMatchObject({
      statusMessage: "The message waits in the queue of the session.",
    });
    await resultOf(from, "tasks/cancel", { taskId: queued });
    expect(await get(queued)).toMatchObject({ status: "cancelled" });
    expect(await get(working)).toMatchObject({ status: "working" });
    const ack = await resultOf(from, "tasks/cancel", { taskId: working });
    expect(Object.keys(ack).toSorted()).toEqual(["_meta", "resultType"]);
    await until(working, "cancelled");
    const { result } = await until(third, "completed");
    await resultOf(from, "tasks/cancel", { taskId: third });
    expect(await get(third)).toMatchObject({ status: "completed", result });
  });

  it("is completed with an error if its agent failed (D6)", async () => {
    const session = await newSession();
    const taskId = await begin(session, script(fail({ code: -32_603, message: "no more tea" })));
    expect(await until(taskId, "completed")).toMatchObject({
      result: { isError: true, content: [{ text: expect.stringContaining("no more tea") }] },
    });
  });

  it("returns at once without a task if nobody wants to wait (D6)", async () => {
    const session = await newSession();
    const call = { session, text: script(waitFor(file("never"))), wait_seconds: 0 };
    const sent = await resultOf(from, "tools/call", { name: "send_message", arguments: call });
    expect(sent).toMatchObject({ resultType: "complete", structuredContent: { session } });
  });

  it("can be waited for as another task, with the same ID (D6)", async () => {
    const session = await newSession();
    const taskId = await begin(session, script(say("Done.")));
    await until(taskId, "completed");
    const call = { name: "wait", arguments: { session } };
    expect(await resultOf(from, "tools/call", call)).toMatchObject({ resultType: "task", taskId });
  });
});

describe("a client", () => {
  it("gets no questions that it cannot show or may not answer: the task works on (D6)", async () => {
    const session = await newSession();
    const taskId = await begin(session, script(ask({ id: "t1", title: "Delete it" })));
    await until(taskId, "input_required");
    const sender = as(WITH_FORMS, await world.token("send"));
    const other = as(WITH_TASKS);
    for (const by of [sender, other])
      expect(await get(taskId, by)).toMatchObject({
        status: "working",
        statusMessage: expect.stringContaining("A person has to answer"),
      });
    const [key = ""] = Object.keys((await get(taskId))["inputRequests"] as object);
    const update = {
      taskId,
      inputResponses: { [key]: { action: "accept", content: { answer: "allow" } } },
    };
    expect((await askRaw(sender, "tasks/update", update)).error).toMatchObject({
      message: expect.stringContaining("scope approve"),
    });
    await until(taskId, "input_required");
  });

  it("that does not declare tasks gets none, and cannot use theirs (D6)", async () => {
    const session = await newSession();
    const call = { name: "send_message", arguments: { session, text: script(say("Done.")) } };
    const answer = await resultOf(as({}), "tools/call", call);
    expect(answer).toMatchObject({
      resultType: "complete",
      structuredContent: { answer: "Done." },
    });
    for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
      const { error } = await askRaw(as({}), method, { taskId: "s.r", inputResponses: {} });
      expect([method, error?.code]).toEqual([method, -32_021]);
    }
  });

  it("hears that there is no such task, also of a session that its token cannot reach (D6)", async () => {
    const session = await newSession();
    const taskId = await begin(session, script(say("Done.")));
    const elsewhere = as(WITH_FORMS, await world.token("send", await newSession()));
    for (const [by, id] of [
      [from, "nonsense"],
      [from, `${session}.none`],
      [from, `none.${taskId.split(".")[1]}`],
    ] as const)
      expect((await askRaw(by, "tasks/get", { taskId: id })).error).toMatchObject({
        code: -32_602,
      });
    const refused = await askRaw(elsewhere, "tasks/get", { taskId });
    expect(refused.error).toMatchObject({
      message: expect.stringContaining("only for the session"),
    });
    expect(refused.result).toBeUndefined();
  });
});
