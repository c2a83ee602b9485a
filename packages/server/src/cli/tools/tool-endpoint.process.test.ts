import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { mcp, script } from "../../providers/testing/script.ts";
import { transcript } from "../../runtime/testing/test-runtime.ts";
import { ToolWorld } from "../testing/tool-world.ts";

let world: ToolWorld;
let id: string;
beforeEach(async () => {
  world = await ToolWorld.open({ agents: [{ capabilities: { mcpHttp: true } }] });
  id = await world.test.createSession();
});
afterEach(() => world.close());

async function addressOf(sessionId = id) {
  const [server] = await world.toolsFor(sessionId);
  if (server?.address === undefined) throw new Error("the tools have no address");
  return server.address;
}

async function connect(): Promise<Client> {
  const { url, headers } = await addressOf();
  const client = new Client({ name: "test", version: "1.0.0" });
  // The types of the library do not allow for `exactOptionalPropertyTypes`.
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers },
  }) as unknown as Parameters<Client["connect"]>[0];
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

describe("the tools of an agent, over HTTP", () => {
  it("are the same as those of the program (D3)", async () => {
    const client = await connect();
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      "set_phase",
      "ask_human",
      "wait_for_event",
      "read_history",
    ]);
    expect(client.getInstructions()).toContain("end your turn");
    expect(client.getServerVersion()).toMatchObject({ name: "holdfast" });
    const call = async (name: string, args: Record<string, unknown>) =>
      client.callTool({ name, arguments: args });
    expect(await call("set_phase", { phase: "planning" })).toEqual({
      content: [{ type: "text", text: 'The phase is now "planning".' }],
    });
    expect((await world.test.read(id)).session.phase).toBe("planning");
    expect(await call("ask_human", { question: "Hello?" })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("run_not_current") }],
    });
    expect(await call("set_phase", { phase: "lunch" })).toMatchObject({ isError: true });
    expect(await call("read_history", { limit: 1 })).toMatchObject({
      content: [{ text: "No messages match." }],
    });
  });

  it("work for an agent without a further process (D3)", async () => {
    await world.test.send(id, script(mcp("set_phase", { phase: "planning" })));
    const whole = await world.test.idle(id);
    expect(transcript(whole).at(-1)).toBe('agent mcp: The phase is now "planning".');
    expect(await world.test.processes()).toHaveLength(1);
  });

  it("need the key of their own session, which opens nothing else (D3)", async () => {
    const other = await world.test.createSession();
    const { url, headers } = await addressOf();
    const status = async (target: string, init: RequestInit = {}): Promise<number> => {
      const response = await fetch(target, {
        method: "POST",
        headers: { "content-type": "application/json", accept: ACCEPT, ...headers },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
        ...init,
      });
      await response.arrayBuffer();
      return response.status;
    };
    expect(await status(url)).toBe(200);
    expect(await status(url.replace(id, other))).toBe(401);
    expect(await status(url, { headers: { "content-type": "application/json" } })).toBe(401);
    const { body: _, ...bare } = { method: "GET", headers, body: null };
    expect(await status(url, { ...bare, body: null })).toBe(405);
    expect(await status(url, { ...bare, method: "DELETE", body: null })).toBe(405);
  });
});

const ACCEPT = "application/json, text/event-stream";
