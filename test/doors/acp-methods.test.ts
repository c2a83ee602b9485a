import { methods } from "@agentclientprotocol/sdk/unstable";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  ask,
  elicit,
  form,
  say,
  script,
  silent,
  tool,
} from "../../packages/server/src/providers/testing/script.ts";
import { TRANSPORTS, type Editor } from "./editor.ts";
import { ofKind, openEditorWorld, prompt, textOf, type EditorWorld } from "./editor-world.ts";

const { session } = methods.agent;
let world: EditorWorld;

beforeAll(async () => {
  world = await openEditorWorld();
});
afterAll(async () => {
  await world.end();
});

describe.each(TRANSPORTS)("an editor over %s", (transport) => {
  const open = (): Promise<Editor> => world.open({ transport });

  it("creates a session, sends a prompt and gets the answer (D5)", async () => {
    const editor = await open();
    expect(editor.about.protocolVersion).toBe(1);
    expect(editor.about.agentInfo?.name).toBe("holdfast");
    const sessionId = await world.newSession(editor);
    const reply = await prompt(editor, sessionId, script(say("hello "), say("editor")));
    expect(reply.stopReason).toBe("end_turn");
    expect(textOf(editor.updates)).toBe("hello editor");
    expect(textOf(editor.updates, "user_message_chunk")).toBe("");
    expect((await world.client().sessions.get(sessionId)).messages).toHaveLength(2);
  });

  it("shows tool calls, and asks for permission (D5)", async () => {
    const editor = await open();
    const sessionId = await world.newSession(editor);
    const reply = prompt(
      editor,
      sessionId,
      script(
        tool({ id: "t1", title: "Read a.ts", kind: "read", output: "text of a.ts" }),
        ask({ id: "t2", title: "Write b.ts" }),
      ),
    );
    await expect.poll(() => editor.permissions.length).toBe(1);
    const [asked] = editor.permissions;
    expect(asked?.params.toolCall.title).toBe("Write b.ts");
    const option = asked?.params.options.find(({ kind }) => kind === "allow_once");
    asked?.reply({ outcome: { outcome: "selected", optionId: option?.optionId ?? "" } });
    expect((await reply).stopReason).toBe("end_turn");
    expect(textOf(editor.updates)).toContain(`answer: ${option?.optionId}`);
    const [call] = ofKind(editor.updates, "tool_call");
    expect(call).toMatchObject({ toolCallId: "t1", title: "Read a.ts", kind: "read" });
  });

  it("shows a form, and sends the answer (D5)", async () => {
    const editor = await open();
    const sessionId = await world.newSession(editor);
    const reply = prompt(
      editor,
      sessionId,
      script(elicit(form("Which branch?", { branch: { type: "string" } }))),
    );
    await expect.poll(() => editor.forms.length).toBe(1);
    expect(editor.forms[0]?.params.message).toBe("Which branch?");
    editor.forms[0]?.reply({ action: "accept", content: { branch: "main" } });
    expect((await reply).stopReason).toBe("end_turn");
    expect(textOf(editor.updates)).toContain("main");
  });

  it("cancels a prompt (D5)", async () => {
    const editor = await open();
    const sessionId = await world.newSession(editor);
    const reply = prompt(editor, sessionId, script(say("working"), silent()));
    await expect.poll(() => textOf(editor.updates)).toBe("working");
    await editor.agent.notify(session.cancel, { sessionId });
    expect((await reply).stopReason).toBe("cancelled");
  });

  it("loads a session with everything that was said, once (D5)", async () => {
    const first = await open();
    const sessionId = await world.newSession(first);
    await prompt(first, sessionId, script(say("one")));
    await first.close();
    const second = await open();
    await second.agent.request(session.load, { sessionId, cwd: world.root, mcpServers: [] });
    expect(textOf(second.updates)).toBe("one");
    expect(textOf(second.updates, "user_message_chunk")).toBe(script(say("one")));
    await prompt(second, sessionId, script(say(" two")));
    expect(textOf(second.updates)).toBe("one two");
  });

  it("resumes a session without its history (D5)", async () => {
    const first = await open();
    const sessionId = await world.newSession(first);
    await prompt(first, sessionId, script(say("one")));
    const second = await open();
    await second.agent.request(session.resume, { sessionId, cwd: world.root, mcpServers: [] });
    await prompt(second, sessionId, script(say("two")));
    expect(textOf(second.updates)).toBe("two");
  });

  it("lists, forks, closes and deletes sessions (D5)", async () => {
    const editor = await open();
    const sessionId = await world.newSession(editor);
    await prompt(editor, sessionId, script(say("one")));
    const { sessionId: forkId } = await editor.agent.request(session.fork, {
      sessionId,
      cwd: world.root,
    });
    const { sessions } = await editor.agent.request(session.list, { cwd: world.root });
    expect(sessions.map((one) => one.sessionId)).toEqual(
      expect.arrayContaining([sessionId, forkId]),
    );
    await editor.agent.request(session.close, { sessionId });
    await editor.agent.request(session.delete, { sessionId: forkId });
    await expect(world.client().sessions.get(forkId)).rejects.toMatchObject({
      code: "session_not_found",
    });
    await expect(prompt(editor, sessionId, "after close")).rejects.toThrow(/is not open/u);
  });

  it("chooses the agent and the mode of the next message (D5)", async () => {
    const editor = await open();
    const { sessionId, configOptions } = await editor.agent.request(session.new, {
      cwd: world.root,
      mcpServers: [],
    });
    const agent = configOptions?.find(({ id }) => id === "holdfast-agent");
    expect(agent?.currentValue).toBe("scripted");
    const changed = await editor.agent.request(session.setConfigOption, {
      sessionId,
      configId: "holdfast-agent",
      value: "second",
    });
    expect(changed.configOptions[0]?.currentValue).toBe("second");
    await prompt(editor, sessionId, script(say("from the second")));
    const { runs } = await world.client().sessions.runs(sessionId);
    expect(runs.map(({ provider }) => provider)).toEqual(["second"]);
  });
});
