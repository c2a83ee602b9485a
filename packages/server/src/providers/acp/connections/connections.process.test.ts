import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { McpServers } from "../../../domain/mcp-server.ts";
import { openAgentRig, type AgentRig } from "../../testing/agent-rig.ts";
import { mcp, script } from "../../testing/script.ts";

const SECRET = "canary-5f2c9d71e8b04a66";
const ENVIRONMENT = { ...process.env, MY_TOKEN: SECRET };

/** An MCP server of its own that tells the value of a variable. */
const ECHO = `
const { createInterface } = require("node:readline");
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const text = JSON.stringify([process.env.TOKEN, params.arguments]);
  const result = method === "initialize"
    ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "echo", version: "1" } }
    : { content: [{ type: "text", text }] };
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
});
`;

function echo(): McpServers {
  return {
    echo: {
      type: "stdio",
      command: process.execPath,
      args: ["-e", ECHO],
      env: {},
      envFrom: { TOKEN: "MY_TOKEN" },
    },
  };
}
const WEB: McpServers = {
  web: {
    type: "http",
    url: "https://a.example/mcp",
    headers: {},
    headersFrom: { "X-Key": "MY_TOKEN" },
  },
  old: { type: "sse", url: "https://a.example/sse", headers: {}, headersFrom: {} },
};

function given(rig: AgentRig, method: string): unknown {
  return rig.received().find((message) => message.method === method)?.params;
}

describe("the connections of an agent", () => {
  it("include the user's own MCP server, which runs with its variable, whose value is recorded nowhere (D3)", async () => {
    const provider = { environment: ENVIRONMENT, mcpVariables: ["MY_TOKEN"] };
    const rig = openAgentRig({ provider });
    const agent = await rig.start({ connections: { mcpServers: echo(), directories: [] } });
    await agent.prompt({
      parts: [{ type: "text", text: script(mcp("say", { a: 1 }, "echo")) }],
      model: null,
    });
    expect(rig.text()).toMatch(/^mcp: \["(?!canary).+",\{"a":1\}\]$/u);
    expect(JSON.stringify(given(rig, "session/new"))).toContain(SECRET);
    expect(JSON.stringify(rig.all)).not.toContain(SECRET);
    expect(rig.journal()).toContain("[redacted]");
    expect(rig.journal()).not.toContain(SECRET);
    expect(agent.notices).toEqual([]);
  });

  it("are the same when the agent takes up its session again (D3)", async () => {
    const capabilities = { resume: true, mcpHttp: true, mcpSse: true, additionalDirectories: true };
    const rig = openAgentRig({
      capabilities,
      provider: { environment: ENVIRONMENT, mcpVariables: ["MY_TOKEN"] },
    });
    const folder = path.join(rig.folder, "docs");
    mkdirSync(folder);
    const connections = { mcpServers: WEB, directories: [{ path: folder, descriptor: null }] };
    const first = await rig.start({ connections });
    await first.stop();
    const second = await rig.start({ connections, resume: first.resumeData });
    expect(second.memory).toBe("resumed");
    const expected = {
      cwd: rig.folder,
      additionalDirectories: [folder],
      mcpServers: [
        {
          type: "http",
          name: "web",
          url: "https://a.example/mcp",
          headers: [{ name: "X-Key", value: SECRET }],
        },
        { type: "sse", name: "old", url: "https://a.example/sse", headers: [] },
      ],
    };
    expect(given(rig, "session/new")).toEqual(expected);
    expect(given(rig, "session/resume")).toMatchObject(expected);
    expect(second.notices).toEqual([]);
  });

  it("that the agent does not support are left out, and a notice names them (D3)", async () => {
    const rig = openAgentRig({
      capabilities: { mcpSse: true },
      provider: { environment: ENVIRONMENT, mcpVariables: ["MY_TOKEN"] },
    });
    const directories = [{ path: rig.folder, descriptor: null }];
    const agent = await rig.start({ connections: { mcpServers: WEB, directories } });
    expect(given(rig, "session/new")).toMatchObject({ mcpServers: [{ name: "old" }] });
    expect(given(rig, "session/new")).not.toHaveProperty("additionalDirectories");
    expect(agent.notices).toEqual([
      "The MCP server web is left out: Scripted agent does not support MCP over HTTP.",
      `Scripted agent is not told about further directories, but can work in them: ${rig.folder}`,
    ]);
  });

  it("include Holdfast's tools by address if the agent takes one, and not through a proxy (D3)", async () => {
    const url = "http://127.0.0.1:1/api/agent/sessions/s/mcp";
    const address = { url, headers: { Authorization: `Bearer ${SECRET}` } };
    const tools = {
      name: "holdfast",
      command: "/bin/false",
      args: [],
      env: { KEY: SECRET },
      address,
    };
    const start = async (options: {
      readonly mcpHttp: boolean;
      readonly environment: NodeJS.ProcessEnv;
    }) => {
      const rig = openAgentRig({
        capabilities: { mcpHttp: options.mcpHttp },
        provider: { environment: options.environment, toolsFor: async () => [tools] },
      });
      await rig.start();
      expect(readFileSync(path.join(rig.folder, "received.jsonl"), "utf8")).toContain(SECRET);
      // It is written a moment later.
      await expect.poll(() => rig.journal()).toContain("session/new");
      expect(rig.journal()).not.toContain(SECRET);
      return given(rig, "session/new");
    };
    const byAddress = { mcpServers: [{ type: "http", name: "holdfast", url }] };
    const byProgram = { mcpServers: [{ name: "holdfast", command: "/bin/false" }] };
    const proxy = { ...process.env, http_proxy: "http://proxy.example:3128", no_proxy: "" };
    expect(await start({ mcpHttp: true, environment: process.env })).toMatchObject(byAddress);
    expect(await start({ mcpHttp: false, environment: process.env })).toMatchObject(byProgram);
    expect(await start({ mcpHttp: true, environment: proxy })).toMatchObject(byProgram);
    const exempt = { ...proxy, no_proxy: "127.0.0.1" };
    expect(await start({ mcpHttp: true, environment: exempt })).toMatchObject(byAddress);
  });

  it("include a program in the repository, and not one that is missing (D3)", async () => {
    const rig = openAgentRig();
    writeFileSync(path.join(rig.folder, "serve.sh"), "#!/bin/sh\n", { mode: 0o755 });
    const server = (command: string) =>
      ({ type: "stdio", command, args: [], env: {}, envFrom: {} }) as const;
    const mcpServers = { here: server("./serve.sh"), gone: server("./gone.sh") };
    const agent = await rig.start({ connections: { mcpServers, directories: [] } });
    expect(given(rig, "session/new")).toMatchObject({
      mcpServers: [{ name: "here", command: path.join(rig.folder, "serve.sh") }],
    });
    expect(agent.notices).toEqual([
      "The MCP server gone is left out: the program ./gone.sh was not found.",
    ]);
  });
});
