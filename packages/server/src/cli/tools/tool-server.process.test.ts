import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { say, script, silent } from "../../providers/testing/script.ts";
import { ToolWorld } from "../testing/tool-world.ts";
import { openToolServer } from "./tool-server.ts";

let world: ToolWorld;
let id: string;
beforeEach(async () => {
  world = await ToolWorld.open();
  id = await world.test.createSession();
});
afterEach(() => world.close());

/** The program as an agent starts it, in the hands of the official client. */
async function connect(sessionId = id): Promise<{ client: Client; pid: number | null }> {
  const [server] = await world.toolsFor(sessionId);
  if (server === undefined) throw new Error("there are no tools");
  const { command, args, env } = server;
  const transport = new StdioClientTransport({ command, args: [...args], env: { ...env } });
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return { client, pid: transport.pid };
}

async function call(client: Client, name: string, args: Record<string, unknown>) {
  const result = await client.callTool({ name, arguments: args });
  const [part] = result.content as readonly { readonly text: string }[];
  return { isError: result.isError === true, text: part?.text ?? "" };
}

describe("the tools of an agent, over MCP", () => {
  it("are four with descriptions, and end with the agent's pipe", async () => {
    const { client, pid } = await connect();
    const { tools } = await client.listTools();
    expect(tools.map(({ name, inputSchema }) => [name, inputSchema.required ?? []])).toEqual([
      ["set_phase", ["phase"]],
      ["ask_human", ["question"]],
      ["wait_for_event", ["name"]],
      ["read_history", []],
    ]);
    expect(client.getInstructions()).toContain("end your turn");
    expect(client.getServerVersion()).toMatchObject({ name: "holdfast" });
    await client.close();
    expect(() => process.kill(pid ?? 0, 0)).toThrow("ESRCH");
  });

  it("refuse invalid arguments with the reason", async () => {
    const { client } = await connect();
    expect(await call(client, "set_phase", { phase: "lunch" })).toMatchObject({ isError: true });
    expect(await call(client, "ask_human", { question: "" })).toMatchObject({ isError: true });
    expect(
      await call(client, "wait_for_event", { name: "x", expires_in_minutes: -1 }),
    ).toMatchObject({ isError: true });
  });

  it("cannot ask while there is no run", async () => {
    const { client } = await connect();
    for (const [name, args] of [
      ["ask_human", { question: "Hello?" }],
      ["wait_for_event", { name: "deploy" }],
    ] as const) {
      expect(await call(client, name, args)).toEqual({
        isError: true,
        text: expect.stringContaining("run_not_current"),
      });
    }
    expect(await world.test.runtime.listSuspensions()).toEqual([]);
  });

  it("ask the same open question only once, and other questions too", async () => {
    await world.test.send(id, script(silent()));
    await world.test.until(id, ({ session }) => session.state === "running");
    const { client } = await connect();
    const question = { question: "Which database?", options: ["SQLite", "PostgreSQL"] };
    const first = await call(client, "ask_human", question);
    expect(first).toEqual({ isError: false, text: expect.stringContaining("End your turn now") });
    expect(await call(client, "ask_human", question)).toEqual(first);
    await call(client, "ask_human", { question: "Which port?" });
    const open = await world.test.runtime.listSuspensions();
    expect(open.map(({ kind, request, expiresAt }) => ({ kind, request, expiresAt }))).toEqual([
      {
        kind: "question",
        request: { title: "Which database?", options: ["SQLite", "PostgreSQL"] },
        expiresAt: null,
      },
      { kind: "question", request: { title: "Which port?" }, expiresAt: null },
    ]);
  });

  it("ask at most twenty questions at a time", async () => {
    await world.test.send(id, script(silent()));
    await world.test.until(id, ({ session }) => session.state === "running");
    const { client } = await connect();
    for (let number = 1; number <= 20; number += 1) {
      expect(await call(client, "ask_human", { question: `${number}?` })).toMatchObject({
        isError: false,
      });
    }
    expect(await call(client, "wait_for_event", { name: "one more" })).toEqual({
      isError: true,
      text: expect.stringContaining("suspensions_full"),
    });
    expect(await call(client, "ask_human", { question: "20?" })).toMatchObject({ isError: false });
    expect(await world.test.runtime.listSuspensions()).toHaveLength(20);
  });

  it("read the newest messages, those after a number, or those with a text", async () => {
    for (const word of ["apple", "Banana", "cherry"]) {
      await world.test.send(id, script(say(`about ${word}`)));
      await world.test.idle(id);
    }
    const { client } = await connect();
    const { text: newest } = await call(client, "read_history", { limit: 1 });
    expect(newest).toMatch(
      /^\[\d+ older messages are left out.*\]\n\n\[\d+\] agent, .*\nabout cherry$/u,
    );
    const { text: found } = await call(client, "read_history", { search: "about banana" });
    expect(found.match(/^about \w+$/gmu)).toEqual(["about Banana"]);
    const seq = Number(/\[(\d+)\] agent/u.exec(found)?.[1]);
    const { text: later } = await call(client, "read_history", { after: seq });
    expect(later).toContain("about cherry");
    expect(later).not.toContain("apple");
    const { text: next } = await call(client, "read_history", { after: 0, limit: 1 });
    expect(next).toMatch(/newer messages are left out: ask again with after=\d+\]$/u);
    expect(await call(client, "read_history", { search: "zebra" })).toEqual({
      isError: false,
      text: "No messages match.",
    });
  });

  it("read at most 32 KiB and say how much was omitted", async () => {
    for (let number = 0; number < 12; number += 1) {
      await world.test.send(id, script(say(`${number} ${"ü".repeat(5_000)}`)));
    }
    await world.test.idle(id);
    const { client } = await connect();
    for (const args of [{ limit: 100 }, { limit: 100, after: 0 }]) {
      const { text } = await call(client, "read_history", args);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(32 * 1024);
      expect(Buffer.byteLength(text)).toBeGreaterThan(16 * 1024);
      expect(text).toMatch(/\[\d+ (older|newer) messages are left out/u);
      expect(text).toMatch(/\[…\d+ more characters are left out\]/u);
    }
  });

  it("report that the server cannot be reached or refuses them", async () => {
    const { client } = await connect();
    await world.restart();
    expect(await call(client, "set_phase", { phase: "planning" })).toEqual({
      isError: true,
      text: "Refused: the server could not be reached",
    });
  });

  it("need the environment variables of a session", async () => {
    const streams = { stdin: new PassThrough(), stdout: new PassThrough() };
    await expect(openToolServer({}, streams)).rejects.toThrow("HOLDFAST_AGENT_URL");
  });
});
