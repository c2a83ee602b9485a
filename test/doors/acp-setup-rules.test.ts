import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { methods } from "@agentclientprotocol/sdk/unstable";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  elicit,
  form,
  mcp,
  say,
  script,
  silent,
} from "../../packages/server/src/providers/testing/script.ts";
import { ofKind, openEditorWorld, prompt, textOf, type EditorWorld } from "./editor-world.ts";
import { openRawEditor } from "./raw-editor.ts";

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

describe("transports", () => {
  it("stdio: writes only messages in UTF-8 to stdout, one on each line (D5)", async () => {
    const raw = openRawEditor(world.server(), world.root);
    raw.send({ id: 1, method: "initialize", params: { protocolVersion: 1 } });
    await expect.poll(() => raw.messages().some(({ id }) => id === 1)).toBe(true);
    raw.send({ id: 2, method: "session/new", params: { cwd: world.root, mcpServers: [] } });
    await expect.poll(() => raw.messages().some(({ id }) => id === 2)).toBe(true);
    const sessionId = raw.messages().find(({ id }) => id === 2)?.result?.["sessionId"];
    const text = script(say("zwei\nZeilen: äöü 🐚"));
    raw.send({
      id: 3,
      method: "session/prompt",
      params: { sessionId, prompt: [{ type: "text", text }] },
    });
    await expect.poll(() => raw.messages().some(({ id }) => id === 3)).toBe(true);
    expect(raw.messages().every(({ jsonrpc }) => jsonrpc === "2.0")).toBe(true);
    expect(raw.lines.join("\n")).toContain("äöü 🐚");
    raw.process.stdin.end();
    expect(await raw.closed).toBe(0);
  });

  it("stdio: answers bad JSON, wrong types, unknown methods and batches as JSON-RPC says, and goes on (D5)", async () => {
    const raw = openRawEditor(world.server(), world.root);
    raw.write("{not json\n");
    raw.write("[]\n");
    raw.write("12\n");
    raw.write('{"jsonrpc":"2.0","id":{"a":1},"method":5}\n');
    raw.send({ id: 9, method: "session/new", params: { cwd: world.root, mcpServers: [] } });
    raw.send({ id: 12, method: "initialize", params: { protocolVersion: "one" } });
    raw.send({ id: 1, method: "initialize", params: { protocolVersion: 1 } });
    await expect.poll(() => raw.messages().some(({ id }) => id === 1)).toBe(true);
    raw.send({ id: 10, method: "session/unknown", params: {} });
    raw.send({ id: 11, method: "session/new", params: { cwd: 5 } });
    raw.send({ method: "unknown/notification", params: {} });
    raw.send({ id: 13, method: "initialize", params: { protocolVersion: 1 } });
    await expect.poll(() => raw.messages().some(({ id }) => id === 13)).toBe(true);
    const codeOf = (id: number): number | undefined =>
      raw.messages().find((message) => message.id === id)?.error?.code;
    const nameless = raw.messages().filter(({ id }) => id === null);
    expect(nameless.map(({ error }) => error?.code)).toEqual([-32_700, -32_600, -32_600, -32_600]);
    expect([codeOf(9), codeOf(10), codeOf(11), codeOf(12)]).toEqual([
      -32_600, -32_601, -32_602, -32_602,
    ]);
    expect(raw.messages().find(({ id }) => id === 13)?.result?.["protocolVersion"]).toBe(1);
    raw.process.stdin.end();
    await raw.closed;
  });

  it("stdio: ends the connection at a frame that is too large, and keeps the sessions (D5)", async () => {
    const raw = openRawEditor(world.server(), world.root);
    raw.write(
      `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"x":"${"x".repeat(17 << 20)}`,
    );
    expect(await raw.closed).toBe(0);
    expect((await world.client().health()).status).toBe("ok");
  });

  it("stdio: ends when the editor closes stdin in the middle of a message (D5)", async () => {
    const raw = openRawEditor(world.server(), world.root);
    raw.write('{"jsonrpc":"2.0","id":1,"meth');
    raw.process.stdin.end();
    expect(await raw.closed).toBe(0);
  });
});

describe("initialization", () => {
  it("Version Negotiation: responds with the version that the client asked for, or with its own (D5)", async () => {
    const editor = await world.open();
    const ask = (protocolVersion: number) =>
      editor.agent.request(methods.agent.initialize, { protocolVersion });
    expect((await ask(1)).protocolVersion).toBe(1);
    expect((await ask(99)).protocolVersion).toBe(1);
    expect((await ask(0)).protocolVersion).toBe(1);
  });

  it("Initialization: responds with its capabilities, name and version (D5)", async () => {
    const { about } = await world.open();
    expect(about.agentCapabilities).toMatchObject({
      loadSession: true,
      promptCapabilities: { image: true, embeddedContext: true },
      sessionCapabilities: { list: {}, resume: {}, fork: {}, close: {}, delete: {} },
    });
    expect(about.agentInfo).toMatchObject({ name: "holdfast", title: "Holdfast" });
  });

  it("Capabilities: asks for nothing that the client did not offer: no files, terminals or forms (D5)", async () => {
    const editor = await world.open({ capabilities: {} });
    const sessionId = await world.newSession(editor);
    const reply = prompt(
      editor,
      sessionId,
      script(elicit(form("Name?", { name: { type: "string" } }))),
    );
    await expect.poll(() => textOf(editor.updates)).toContain("this editor cannot ask for: Name?");
    expect(editor.forms).toEqual([]);
    const { suspension } = await world.client().sessions.get(sessionId, { tail: 1 });
    const answer = { action: "accept", content: { name: "x" } };
    await world.client().sessions.answer(sessionId, { suspensionId: suspension?.id ?? "", answer });
    expect((await reply).stopReason).toBe("end_turn");
  });

  it("Prompt capabilities: takes text, links, images and embedded resources (D5)", async () => {
    const editor = await world.open();
    const sessionId = await world.newSession(editor);
    await editor.agent.request(session.prompt, {
      sessionId,
      prompt: [
        { type: "resource_link", uri: "file:///a.ts", name: "a.ts" },
        { type: "image", data: "aGVsbG8=", mimeType: "image/png" },
        { type: "resource", resource: { uri: "file:///b.ts", text: "export {}" } },
        { type: "text", text: script(say("seen")) },
      ],
    });
    const { messages } = await world.client().sessions.get(sessionId);
    expect(messages[0]?.content).toMatchObject({
      parts: [
        { type: "link", uri: "file:///a.ts", name: "a.ts" },
        { type: "image", data: "aGVsbG8=", mimeType: "image/png" },
        { type: "resource", uri: "file:///b.ts", text: "export {}" },
        { type: "text" },
      ],
    });
    const other = await world.open();
    await other.agent.request(session.load, { sessionId, cwd: world.root, mcpServers: [] });
    expect(ofKind(other.updates, "user_message_chunk").map(({ content }) => content.type)).toEqual([
      "resource_link",
      "image",
      "resource",
      "text",
    ]);
  });
});

describe("session-setup", () => {
  it("Creating a Session: responds with a unique ID (D5)", async () => {
    const editor = await world.open();
    const ids = [await world.newSession(editor), await world.newSession(editor)];
    expect(new Set(ids).size).toBe(2);
  });

  it("Loading Sessions: replays the whole conversation before it responds (D5)", async () => {
    const { id } = await world.client().sessions.create({
      repoId: (await world.client().repos.add({ path: world.root })).id,
    });
    const texts = Array.from({ length: 40 }, (_, index) => `message ${index}`);
    for (const text of texts) await world.client().sessions.send(id, { text });
    await expect
      .poll(async () => (await world.client().sessions.get(id)).messages)
      .toHaveLength(2 * texts.length);
    const editor = await world.open();
    await editor.agent.request(session.load, { sessionId: id, cwd: world.root, mcpServers: [] });
    expect(textOf(editor.updates, "user_message_chunk")).toBe(texts.join(""));
    expect(textOf(editor.updates)).toBe(texts.map((text) => `echo: ${text}`).join(""));
  });

  it("Loading Sessions: says that an unknown session does not exist (D5)", async () => {
    const editor = await world.open();
    const params = { sessionId: randomUUID(), cwd: world.root, mcpServers: [] };
    await expect(editor.agent.request(session.load, params)).rejects.toMatchObject({
      code: -32_002,
    });
  });

  it("Resuming Sessions: sends no history (D5)", async () => {
    const first = await world.open();
    const sessionId = await world.newSession(first);
    await prompt(first, sessionId, script(say("one")));
    const second = await world.open();
    await second.agent.request(session.resume, { sessionId, cwd: world.root });
    await second.agent.request(session.list, {});
    expect(textOf(second.updates) + textOf(second.updates, "user_message_chunk")).toBe("");
  });

  it("Closing Active Sessions: cancels the work of the session (D5)", async () => {
    const editor = await world.open();
    const sessionId = await world.newSession(editor);
    const reply = prompt(editor, sessionId, script(say("working"), silent()));
    await expect.poll(() => textOf(editor.updates)).toBe("working");
    await editor.agent.request(session.close, { sessionId });
    expect((await reply).stopReason).toBe("cancelled");
    const { runs } = await world.client().sessions.runs(sessionId);
    expect(runs.map(({ status }) => status)).toEqual(["cancelled"]);
  });

  it("Additional Workspace Roots: are folders of the session (D5)", async () => {
    const editor = await world.open();
    const additionalDirectories = [path.join(world.root, "src")];
    const { sessionId } = await editor.agent.request(session.new, {
      cwd: world.root,
      mcpServers: [],
      additionalDirectories,
    });
    const { sessions } = await editor.agent.request(session.list, { cwd: world.root });
    const listed = sessions.find((one) => one.sessionId === sessionId);
    expect(listed?.additionalDirectories).toEqual(additionalDirectories);
    const wrong = { cwd: world.root, mcpServers: [], additionalDirectories: ["src"] };
    await expect(editor.agent.request(session.new, wrong)).rejects.toMatchObject({ code: -32_602 });
  });

  it("Working Directory: is an absolute path, in which the agent works (D5)", async () => {
    const editor = await world.open({ cwd: "/" });
    const sessionId = await world.newSession(editor);
    await prompt(editor, sessionId, '@tell {"what":"cwd"}');
    expect(textOf(editor.updates)).toContain(world.root);
    const relative = editor.agent.request(session.new, { cwd: "root", mcpServers: [] });
    await expect(relative).rejects.toMatchObject({ code: -32_602 });
  });

  it("Working Directory: other folders are refused with what to do (D5)", async () => {
    const editor = await world.open();
    const create = (cwd: string): Promise<unknown> =>
      editor.agent.request(session.new, { cwd, mcpServers: [] });
    await expect(create(path.join(world.root, "src"))).rejects.toThrow(
      `is a folder inside the repository ${world.root}. Open ${world.root}`,
    );
    await expect(create("/")).rejects.toThrow(/outside the workspace root/u);
    await expect(create(path.join(world.root, "missing"))).rejects.toMatchObject({
      data: { code: "path_not_found" },
    });
  });

  it("MCP Servers: a server of the type stdio reaches the agent (D5)", async () => {
    const server = path.join(world.folder, "server.mjs");
    writeFileSync(server, MCP_SERVER);
    const editor = await world.open();
    const { sessionId } = await editor.agent.request(session.new, {
      cwd: world.root,
      mcpServers: [{ name: "my server", command: process.execPath, args: [server], env: [] }],
    });
    await prompt(editor, sessionId, script(mcp("shout", {}, "my-server")));
    expect(textOf(editor.updates)).toContain("mcp: LOUD");
  });
});

/** A server with one tool, without a library. */
const MCP_SERVER = `
import { createInterface } from "node:readline";
const reply = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize") reply(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } });
  else if (method === "tools/list") reply(id, { tools: [{ name: "shout", inputSchema: { type: "object" } }] });
  else if (method === "tools/call") reply(id, { content: [{ type: "text", text: "LOUD" }] });
  else if (id !== undefined) reply(id, {});
});
`;
