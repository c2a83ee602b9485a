import path from "node:path";
import { methods, type RequestError } from "@agentclientprotocol/sdk/unstable";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  ask,
  elicit,
  form,
  say,
  script,
  silent,
  update,
} from "../../packages/server/src/providers/testing/script.ts";
import { TRANSPORTS, type Editor } from "./editor.ts";
import { ofKind, openEditorWorld, prompt, textOf, type EditorWorld } from "./editor-world.ts";

/*
 * The sentences of the protocol's documents (version 1) that oblige agents. Each title begins with the document and its heading.
 */
const { session } = methods.agent;
let world: EditorWorld;

beforeAll(async () => {
  world = await openEditorWorld();
});
afterAll(async () => {
  await world.end();
});

describe("prompt-turn", () => {
  it("Check for Completion: responds with a stop reason (D5)", async () => {
    const editor = await world.open();
    const sessionId = await world.newSession(editor);
    const stop = (stopReason: string) =>
      prompt(editor, sessionId, `@stop ${JSON.stringify({ stopReason })}`);
    expect((await stop("max_tokens")).stopReason).toBe("max_tokens");
    expect((await stop("refusal")).stopReason).toBe("refusal");
    expect((await stop("of-its-own")).stopReason).toBe("end_turn");
  });

  it.each(TRANSPORTS)(
    "Cancellation: sends all updates, then responds with cancelled, also while a question is open, over %s (D5)",
    async (transport) => {
      const editor = await world.open({ transport });
      const sessionId = await world.newSession(editor);
      let ended = false;
      const reply = prompt(
        editor,
        sessionId,
        script(say("one"), ask({ id: "t", title: "Write" })),
      ).then((response) => {
        ended = true;
        return response;
      });
      await expect.poll(() => editor.permissions.length).toBe(1);
      expect(ended).toBe(false);
      await editor.agent.notify(session.cancel, { sessionId });
      editor.permissions[0]?.reply({ outcome: { outcome: "cancelled" } });
      expect((await reply).stopReason).toBe("cancelled");
      const updates = editor.updates.length;
      await editor.agent.request(session.list, {});
      expect(ofKind(editor.updates.slice(updates), "agent_message_chunk")).toEqual([]);
      expect(ofKind(editor.updates.slice(updates), "tool_call_update")).toEqual([]);
    },
  );

  it("Cancellation: prompts that wait in the queue are cancelled too (D5)", async () => {
    const editor = await world.open();
    const sessionId = await world.newSession(editor);
    const first = prompt(editor, sessionId, script(say("first"), silent()));
    await expect.poll(() => textOf(editor.updates)).toBe("first");
    const second = prompt(editor, sessionId, script(say("second")));
    await expect.poll(async () => (await world.client().sessions.get(sessionId)).queued).toBe(1);
    await editor.agent.notify(session.cancel, { sessionId });
    expect((await first).stopReason).toBe("cancelled");
    expect((await second).stopReason).toBe("cancelled");
    expect(textOf(editor.updates)).toBe("first");
  });

  it("Errors: a prompt that fails has the reason of the agent (D5)", async () => {
    const editor = await world.open();
    const sessionId = await world.newSession(editor);
    const failing = prompt(
      editor,
      sessionId,
      '@fail {"code":-32603,"message":"the model is on fire"}',
    );
    await expect(failing).rejects.toThrow(/the model is on fire/u);
  });
});

describe("cancellation", () => {
  it("Receiving: a request that is cancelled gets a response (D5)", async () => {
    const editor = await world.open();
    const sessionId = await world.newSession(editor);
    const controller = new AbortController();
    const reply = editor.agent.request(
      session.prompt,
      { sessionId, prompt: [{ type: "text", text: script(say("working"), silent()) }] },
      { cancellationSignal: controller.signal },
    );
    await expect.poll(() => textOf(editor.updates)).toBe("working");
    controller.abort();
    expect((await reply).stopReason).toBe("cancelled");
  });
});

describe("agent-plan and session-config-options", () => {
  it("Updating Plans: each update has all entries (D5)", async () => {
    const editor = await world.open();
    const sessionId = await world.newSession(editor);
    const plan = (status: string) =>
      update({
        sessionUpdate: "plan",
        entries: [
          { content: "Read", priority: "high", status },
          { content: "Write", priority: "low", status: "pending" },
        ],
      });
    await prompt(editor, sessionId, script(plan("in_progress"), plan("completed")));
    const plans = ofKind(editor.updates, "plan");
    expect(plans.at(-1)?.entries).toEqual([
      { content: "Read", priority: "high", status: "completed" },
      { content: "Write", priority: "low", status: "pending" },
    ]);
    expect(plans.every(({ entries }) => entries.length === 2)).toBe(true);
  });

  it("Options: each has a value, boolean ones only where the client knows them, and all come in each reply (D5)", async () => {
    const plain = await world.open({ capabilities: {} });
    const { sessionId } = await plain.agent.request(session.new, {
      cwd: world.root,
      mcpServers: [],
    });
    // An agent says what it offers when it starts.
    await prompt(plain, sessionId, script(say("started")));
    const read = async (editor: Editor) =>
      (await editor.agent.request(session.load, { sessionId, cwd: world.root, mcpServers: [] }))
        .configOptions ?? [];
    const options = await read(plain);
    expect(options.filter(({ currentValue }) => typeof currentValue !== "string")).toEqual([]);
    const able = await world.open({
      capabilities: { session: { configOptions: { boolean: {} } } },
    });
    const all = await read(able);
    expect(all.length).toBeGreaterThanOrEqual(options.length);
    const { configOptions } = await able.agent.request(session.setConfigOption, {
      sessionId,
      configId: "holdfast-agent",
      value: "scripted",
    });
    expect(configOptions.map(({ id }) => id)).toEqual(all.map(({ id }) => id));
    const unknown = { sessionId, configId: "no-such-option", value: "x" };
    await expect(able.agent.request(session.setConfigOption, unknown)).rejects.toMatchObject({
      code: -32_602,
    } satisfies Partial<RequestError>);
  });
});

describe("session-list", () => {
  it("Listing Sessions: pages with a cursor, and an empty list for a folder without sessions (D5)", async () => {
    const repoId = (await world.client().repos.add({ path: world.root })).id;
    const made = await Promise.all(
      Array.from({ length: 55 }, () => world.client().sessions.create({ repoId })),
    );
    const editor = await world.open();
    const seen = new Set<string>();
    let cursor: string | null | undefined;
    do {
      const page = await editor.agent.request(session.list, {
        cwd: world.root,
        cursor: cursor ?? null,
      });
      for (const { sessionId, cwd } of page.sessions) {
        expect(cwd).toBe(world.root);
        seen.add(sessionId);
      }
      cursor = page.nextCursor;
    } while (cursor != null);
    expect(made.filter(({ id }) => !seen.has(id))).toEqual([]);
    expect((await editor.agent.request(session.list, { cwd: "/elsewhere" })).sessions).toEqual([]);
  });
});

describe("extensibility and overview", () => {
  it("Extension Methods: an unknown request gets 'method not found' (D5)", async () => {
    const editor = await world.open();
    await expect(editor.agent.request("_example/unknown", {})).rejects.toMatchObject({
      code: -32_601,
    });
  });

  it("Argument requirements: paths of tool calls are absolute (D5)", async () => {
    const editor = await world.open();
    const sessionId = await world.newSession(editor);
    await prompt(
      editor,
      sessionId,
      script(
        update({
          sessionUpdate: "tool_call",
          toolCallId: "t1",
          title: "Edit",
          kind: "edit",
          status: "completed",
          locations: [{ path: "src/a.ts", line: 3 }],
          content: [{ type: "diff", path: "src/a.ts", oldText: "a", newText: "b" }],
        }),
      ),
    );
    const calls = JSON.stringify(ofKind(editor.updates, "tool_call"));
    expect(calls).toContain(JSON.stringify(path.join(world.root, "src/a.ts")));
    expect(calls).not.toContain('"src/a.ts"');
  });
});

describe("elicitation", () => {
  it("Response Actions: decline and cancel are no answers with content (D5)", async () => {
    const editor = await world.open();
    const sessionId = await world.newSession(editor);
    const reply = prompt(
      editor,
      sessionId,
      script(elicit(form("Name?", { name: { type: "string" } }))),
    );
    await expect.poll(() => editor.forms.length).toBe(1);
    editor.forms[0]?.reply({ action: "decline" });
    expect((await reply).stopReason).toBe("end_turn");
    expect(textOf(editor.updates)).toContain("decline");
  });

  it("Form Mode: the schema arrives as the agent sent it (D5)", async () => {
    const editor = await world.open();
    const sessionId = await world.newSession(editor);
    void prompt(
      editor,
      sessionId,
      script(elicit(form("Pick", { n: { type: "integer", minimum: 1 } }))),
    );
    await expect.poll(() => editor.forms.length).toBe(1);
    expect(editor.forms[0]?.params).toMatchObject({
      mode: "form",
      requestedSchema: { type: "object", properties: { n: { type: "integer", minimum: 1 } } },
    });
    await editor.agent.notify(session.cancel, { sessionId });
    await expect.poll(() => editor.forms[0]?.signal.aborted).toBe(true);
  });
});
