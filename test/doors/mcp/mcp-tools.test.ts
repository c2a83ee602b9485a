import { writeFileSync } from "node:fs";
import path from "node:path";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as FirstStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as FirstHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport as FirstTransport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  ask,
  say,
  script,
  waitFor,
} from "../../../packages/server/src/providers/testing/script.ts";
import { BINARY } from "../../e2e/holdfast-process.ts";
import { DOORS, openMcpWorld, textIn, type McpWorld, type Orchestrator } from "./mcp-world.ts";

let world: McpWorld;

beforeAll(async () => {
  world = await openMcpWorld();
});
afterAll(async () => {
  await world.end();
});

const newSession = async (from: Orchestrator, more: object = {}): Promise<string> =>
  String((await from.data("create_session", { ...more }))["id"]);

describe.each(DOORS)("an orchestrator over %s", (door) => {
  let from: Orchestrator;
  beforeAll(async () => {
    from = await world.open(door);
  });

  it("creates a session, sends a message and gets the answer (D6)", async () => {
    const session = await newSession(from, { title: "Two steps" });
    const answer = await from.data("send_message", { session, text: script(say("Done.")) });
    expect(answer).toMatchObject({ session, status: "completed", answer: "Done.", waitsFor: [] });
    expect(textIn(await from.call("read_history", { session }))).toMatch(/agent.*\nDone\./u);
    expect(await from.data("get_session", { session })).toMatchObject({
      title: "Two steps",
      state: "idle",
      lastOutcome: "completed",
      lastWords: "Done.",
    });
  });

  it("waits for a run that it began without waiting, and hears of its steps (D6)", async () => {
    const file = path.join(world.root, `go-${door.replace(" ", "-")}`);
    const message = script(
      { step: "tool", id: "t1", title: "Look around", ends: "completed" },
      waitFor(file),
      { step: "tool", id: "t2", title: "Look closer", ends: "completed" },
      say("Seen."),
    );
    const created = await from.data("create_session", { message });
    const { id: session, run } = created;
    const early = await from.call("wait", { session, run, wait_seconds: 0 });
    expect(early.structuredContent).toMatchObject({ session, run, answer: "" });
    expect(textIn(early)).toContain(`Call wait with session ${String(session)}`);
    const answer = from.data("wait", { session });
    // It observes the run from here on.
    await expect.poll(() => from.progress).toContain("Look around");
    writeFileSync(file, "");
    expect(await answer).toMatchObject({ run, status: "completed", answer: "Seen." });
    expect(from.progress).toContain("Look closer");
  });

  it("finds sessions by list and by words, in pages (D6)", async () => {
    const word = `zebra${door.replace(" ", "").toLowerCase()}`;
    const ids = [];
    for (const title of ["first", "second"]) {
      const session = await newSession(from, { title, message: script(say(`a ${word}`)) });
      await from.data("wait", { session });
      ids.push(session);
    }
    const page = await from.data("search_sessions", { query: word, limit: 1 });
    expect(page).toMatchObject({
      total: 2,
      sessions: [{ excerpt: expect.stringContaining(word) }],
    });
    const rest = await from.data("search_sessions", { query: word, cursor: page["nextCursor"] });
    const found = [page, rest].flatMap(({ sessions }) => sessions as { readonly id: string }[]);
    expect(found.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    expect(rest["nextCursor"]).toBeUndefined();
    expect(await from.data("list_sessions", { limit: 2 })).toMatchObject({
      sessions: [{ id: ids[1] }, { id: ids[0] }],
    });
  });

  it("answers a question by the name of an option, and the run goes on (D6)", async () => {
    const message = script(ask({ id: "t1", title: "Delete it" }), say("gone"));
    const session = await newSession(from, { message });
    const waiting = await from.data("wait", { session });
    expect(waiting).toMatchObject({ status: "suspended", waitsFor: [{ title: "Delete it" }] });
    expect(await from.data("list_questions")).toMatchObject({
      questions: expect.arrayContaining([expect.objectContaining({ session, title: "Delete it" })]),
    });
    const [question] = waiting["waitsFor"] as {
      readonly id: string;
      readonly options: { readonly name: string }[];
    }[];
    const answer = question?.options[0]?.name;
    await from.call("answer", { session, question: question?.id, answer });
    expect(await from.data("wait", { session })).toMatchObject({
      status: "completed",
      answer: expect.stringContaining("gone"),
    });
    expect(textIn(await from.call("answer", { session, answer: "again" }))).toContain(
      "The session waits for no answer",
    );
  });

  it("cancels the run that it names, and no other (D6)", async () => {
    const { id: session, run } = await from.data("create_session", {
      message: script(waitFor(path.join(world.root, "never"))),
    });
    const queued = await from.data("send_message", { session, text: "later", wait_seconds: 0 });
    expect(queued).toMatchObject({ status: "queued" });
    expect(textIn(await from.call("cancel", { session, run: queued["run"] }))).toBe("Cancelled.");
    expect((await world.client().sessions.run(String(session), String(run))).status).toBe(
      "running",
    );
    await from.call("cancel", { session, run, reason: "enough" });
    expect(await world.client().sessions.run(String(session), String(run))).toMatchObject({
      status: "cancelled",
      stopReason: expect.stringContaining("enough"),
    });
    await from.call("cancel", { session, run });
    expect(textIn(await from.call("wait", { session, run }))).toContain("cancelled");
  });

  it("sets the phase, asks whether to resume, and lists agents and repositories (D6)", async () => {
    const session = await newSession(from);
    await from.call("set_phase", { session, phase: "planning" });
    expect(await from.data("should_resume", { session })).toMatchObject({
      shouldResume: true,
      reason: "session_resumable",
    });
    expect(await from.data("list_agents")).toMatchObject({
      agents: expect.arrayContaining([
        expect.objectContaining({ name: "scripted", installed: true, isDefault: true }),
      ]),
    });
    expect(await from.data("list_repositories")).toMatchObject({
      repositories: [{ path: world.root }],
    });
  });

  it("says what is wrong with a call (D6)", async () => {
    const refused = async (name: string, args: object) => {
      const result = await from.call(name, { ...args });
      expect(result.isError).toBe(true);
      return textIn(result);
    };
    expect(await refused("send_message", { session: "s" })).toMatch(/^Invalid arguments .*text/u);
    expect(await refused("get_session", { session: "none" })).toBe("There is no such session.");
    expect(await refused("get_session", { session: "none", colour: 1 })).toMatch(/colour/u);
    expect(await refused("create_session", { repository: "elsewhere" })).toMatch(
      /There is no repository "elsewhere"/u,
    );
    expect(await refused("create_session", { repository: "/etc" })).toMatch(
      /workspace root|outside/u,
    );
    expect(await refused("wait", { session: await newSession(from) })).toMatch(/no run yet/u);
    await expect(from.call("no_such_tool")).rejects.toThrow(/no tool "no_such_tool"/u);
  });

  it("gets prompts with their arguments filled in (D6)", async () => {
    const { prompts } = await from.client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(["delegate", "open_questions", "catch_up"]);
    const args = { task: "Fix the flaky test", repository: "web" };
    const { messages } = await from.client.getPrompt({ name: "delegate", arguments: args });
    expect(JSON.stringify(messages)).toContain("Fix the flaky test");
    await expect(from.client.getPrompt({ name: "catch_up" })).rejects.toThrow(/argument session/u);
  });
});

describe("a client with the SDK's first version", () => {
  it.each(["HTTP", "stdio"] as const)("lists and calls tools over %s (D6)", async (transport) => {
    const { url, headers, data } = world.server();
    const client = new FirstClient({ name: "first", version: "1" });
    await client.connect(
      transport === "HTTP"
        ? (new FirstHttp(new URL(`${url}/mcp`), { requestInit: { headers } }) as FirstTransport)
        : new FirstStdio({ command: process.execPath, args: [BINARY, "mcp", "--data", data] }),
    );
    expect((await client.listTools()).tools).toHaveLength(14);
    const { structuredContent } = await client.callTool({ name: "list_agents" });
    expect(JSON.stringify(structuredContent)).toContain("scripted");
    await client.close();
  });
});

describe.each(DOORS)("a client that can ask its user, over %s", (door) => {
  it("is asked while it waits for a run, and its answer counts once (D6)", async () => {
    const questions: string[] = [];
    const from = await world.open(door, {
      onQuestion: (message) => {
        questions.push(message);
        return { action: "accept", content: { answer: "allow" } };
      },
    });
    const session = await newSession(from);
    const text = script(ask({ id: "t1", title: "Write b.ts" }), say("written"));
    expect(await from.data("send_message", { session, text })).toMatchObject({
      status: "completed",
      answer: expect.stringContaining("written"),
    });
    expect(questions).toEqual([expect.stringContaining("Write b.ts")]);
    const { messages } = await world.client().sessions.get(session);
    expect(messages.filter(({ role }) => role === "user")).toHaveLength(1);
  });

  it("is asked once in a call if its user closes the dialog, and the question stays open (D6)", async () => {
    let asked = 0;
    const from = await world.open(door, {
      onQuestion: () => {
        asked += 1;
        return { action: "cancel" };
      },
    });
    const session = await newSession(from);
    const text = script(ask({ id: "t1", title: "Write c.ts" }));
    expect(await from.data("send_message", { session, text })).toMatchObject({
      status: "suspended",
      waitsFor: [{ title: "Write c.ts" }],
    });
    expect(asked).toBe(1);
    expect(await from.data("wait", { session })).toMatchObject({ status: "suspended" });
    expect(asked).toBe(2);
  });

  it("refuses a permission by declining it (D6)", async () => {
    const from = await world.open(door, { onQuestion: () => ({ action: "decline" }) });
    const session = await newSession(from);
    const text = script(ask({ id: "t1", title: "Delete all" }));
    expect(await from.data("send_message", { session, text })).toMatchObject({
      answer: expect.stringMatching(/answer: reject/u),
    });
  });
});
