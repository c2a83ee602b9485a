import { writeFileSync } from "node:fs";
import path from "node:path";
import { methods } from "@agentclientprotocol/sdk/unstable";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  ask,
  elicit,
  form,
  say,
  script,
  waitFor,
} from "../../packages/server/src/providers/testing/script.ts";
import { TRANSPORTS, type Editor } from "./editor.ts";
import { ofKind, openEditorWorld, prompt, textOf, type EditorWorld } from "./editor-world.ts";

const { session } = methods.agent;
let world: EditorWorld;

beforeEach(async () => {
  world = await openEditorWorld({ agents: { unattendedSeconds: 60 } });
});
afterEach(async () => {
  await world.end();
});

const load = ({ agent }: Editor, sessionId: string) =>
  agent.request(session.load, { sessionId, cwd: world.root, mcpServers: [] });
const file = (name: string): string => path.join(world.root, name);
const userTexts = async (sessionId: string): Promise<unknown[]> =>
  (await world.client().sessions.get(sessionId)).messages
    .filter(({ role }) => role === "user")
    .map(({ content }) => content["text"]);

describe("a killed server", () => {
  it("is a pause for the editor on stdio: every word arrives once, and the prompt ends (D5)", async () => {
    const editor = await world.open();
    const sessionId = await world.newSession(editor);
    const text = script(
      say("one "),
      waitFor(file("go")),
      say("two "),
      waitFor(file("end")),
      say("three"),
    );
    const reply = prompt(editor, sessionId, text);
    await expect.poll(() => textOf(editor.updates)).toBe("one ");
    await world.kill();
    writeFileSync(file("go"), "");
    await world.start();
    await expect.poll(() => textOf(editor.updates)).toBe("one two ");
    await world.killAndStart();
    writeFileSync(file("end"), "");
    expect((await reply).stopReason).toBe("end_turn");
    expect(textOf(editor.updates)).toBe("one two three");
    expect(await userTexts(sessionId)).toEqual([text]);
  });

  it("does not lose or repeat a prompt that is sent while it is away (D5)", async () => {
    const editor = await world.open();
    const sessionId = await world.newSession(editor);
    await world.kill();
    const reply = prompt(editor, sessionId, script(say("late")));
    await world.start();
    expect((await reply).stopReason).toBe("end_turn");
    expect(textOf(editor.updates)).toBe("late");
    expect(await userTexts(sessionId)).toEqual([script(say("late"))]);
  });

  it("leaves a question in the editor, whose answer counts afterwards (D5)", async () => {
    const editor = await world.open();
    const sessionId = await world.newSession(editor);
    const reply = prompt(editor, sessionId, script(ask({ id: "t1", title: "Write b.ts" })));
    await expect.poll(() => editor.permissions.length).toBe(1);
    await world.killAndStart();
    const optionId = editor.permissions[0]?.params.options[0]?.optionId ?? "";
    editor.permissions[0]?.reply({ outcome: { outcome: "selected", optionId } });
    expect((await reply).stopReason).toBe("end_turn");
    expect(textOf(editor.updates)).toContain(`answer: ${optionId}`);
    expect(editor.permissions).toHaveLength(1);
  });
});

describe.each(TRANSPORTS)("an editor over %s that goes away", (transport) => {
  it("does not end the turn, and gets all of it once when it returns (D5)", async () => {
    const first = await world.open({ transport });
    const sessionId = await world.newSession(first);
    const reply = prompt(first, sessionId, script(say("one "), waitFor(file("go")), say("two")));
    const lost = reply.catch((error: unknown) => error);
    await expect.poll(() => textOf(first.updates)).toBe("one ");
    await first.close();
    expect(await lost).toBeInstanceOf(Error);
    const second = await world.open({ transport });
    await load(second, sessionId);
    expect(textOf(second.updates)).toBe("one ");
    writeFileSync(file("go"), "");
    await expect.poll(() => textOf(second.updates)).toBe("one two");
    const { runs } = await world.client().sessions.runs(sessionId);
    expect(runs.map(({ attempts }) => attempts)).toEqual([1]);
  });

  it("is asked the open question again (D5)", async () => {
    const first = await world.open({ transport });
    const sessionId = await world.newSession(first);
    void prompt(first, sessionId, script(ask({ id: "t1", title: "Write b.ts" }))).catch(() => {});
    await expect.poll(() => first.permissions.length).toBe(1);
    await first.close();
    const second = await world.open({ transport });
    await load(second, sessionId);
    await expect.poll(() => second.permissions.length).toBe(1);
    const optionId = second.permissions[0]?.params.options[0]?.optionId ?? "";
    second.permissions[0]?.reply({ outcome: { outcome: "selected", optionId } });
    await expect.poll(() => textOf(second.updates)).toContain(`answer: ${optionId}`);
  });
});

describe("a killed stdio process", () => {
  it("loses nothing: the next one loads the session at work (D5)", async () => {
    const first = await world.open();
    const sessionId = await world.newSession(first);
    const text = script(say("one "), waitFor(file("go")), say("two"));
    void prompt(first, sessionId, text).catch(() => {});
    await expect.poll(() => textOf(first.updates)).toBe("one ");
    first.process?.kill("SIGKILL");
    const second = await world.open();
    await load(second, sessionId);
    writeFileSync(file("go"), "");
    await expect.poll(() => textOf(second.updates)).toBe("one two");
    expect(await userTexts(sessionId)).toEqual([text]);
  });
});

describe("a session in the editor and on the page", () => {
  it("is the same for both: messages of the page arrive in the editor (D5)", async () => {
    const editor = await world.open();
    const sessionId = await world.newSession(editor);
    await world.client().sessions.send(sessionId, { text: script(say("for the page")) });
    await expect.poll(() => textOf(editor.updates)).toBe("for the page");
    expect(textOf(editor.updates, "user_message_chunk")).toBe(script(say("for the page")));
    await world.client().sessions.update(sessionId, { title: "A new title" });
    await expect
      .poll(() => ofKind(editor.updates, "session_info_update").at(-1)?.title)
      .toBe("A new title");
  });

  it("takes the first answer, and withdraws the editor's dialog (D5)", async () => {
    const editor = await world.open();
    const sessionId = await world.newSession(editor);
    const reply = prompt(
      editor,
      sessionId,
      script(
        ask({ id: "t1", title: "Write b.ts" }),
        elicit(form("Name?", { name: { type: "string" } })),
      ),
    );
    await expect.poll(() => editor.permissions.length).toBe(1);
    const { suspension } = await world.client().sessions.get(sessionId, { tail: 1 });
    const optionId = editor.permissions[0]?.params.options[0]?.optionId ?? "";
    await world
      .client()
      .sessions.answer(sessionId, { suspensionId: suspension?.id ?? "", answer: optionId });
    await expect.poll(() => editor.permissions[0]?.signal.aborted).toBe(true);
    await expect.poll(() => editor.forms.length).toBe(1);
    editor.forms[0]?.reply({ action: "decline" });
    expect((await reply).stopReason).toBe("end_turn");
    expect(textOf(editor.updates)).toContain(`answer: ${optionId}`);
  });

  it("keeps the question when the editor's dialog is closed without an answer (D5)", async () => {
    const editor = await world.open();
    const sessionId = await world.newSession(editor);
    const reply = prompt(editor, sessionId, script(ask({ id: "t1", title: "Write b.ts" })));
    await expect.poll(() => editor.permissions.length).toBe(1);
    const optionId = editor.permissions[0]?.params.options[0]?.optionId ?? "";
    editor.permissions[0]?.reply({ outcome: { outcome: "cancelled" } });
    const { suspension } = await world.client().sessions.get(sessionId, { tail: 1 });
    await world
      .client()
      .sessions.answer(sessionId, { suspensionId: suspension?.id ?? "", answer: optionId });
    expect((await reply).stopReason).toBe("end_turn");
  });
});
