import { mkdirSync, mkdtempSync, rmdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { McpServer, McpServers } from "../../domain/mcp-server.ts";
import { say, script } from "../../providers/testing/script.ts";
import { ok, TestRuntime, transcript } from "../testing/test-runtime.ts";

const SECRET = "canary-91d0c2b7e4f84d35";

let test: TestRuntime;
let docs: string;
beforeEach(async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-connections-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  test = await TestRuntime.open({
    agents: [{ folder, capabilities: { resume: true, mcpSse: true } }],
    mcpVariables: ["MY_TOKEN"],
    environment: { ...process.env, MY_TOKEN: SECRET, OTHER_TOKEN: SECRET },
  });
  docs = path.join(test.folder, "root", "docs");
  mkdirSync(docs);
});
afterEach(() => test.close());

const program = (more: Partial<Extract<McpServer, { type: "stdio" }>> = {}): McpServers => ({
  own: { type: "stdio", command: "/bin/true", args: [], env: {}, envFrom: {}, ...more },
});
const address = (more: Partial<Extract<McpServer, { type: "http" | "sse" }>> = {}): McpServers => ({
  own: { type: "sse", url: "https://mcp.example/", headers: {}, headersFrom: {}, ...more },
});

async function refusal(connections: {
  readonly mcpServers?: McpServers;
  readonly directories?: readonly string[];
}): Promise<readonly [string, string] | null> {
  const created = await test.runtime.createSession(test.newSession(connections));
  return created.ok ? null : [created.refusal.code, created.refusal.message];
}

describe("the connections of a session", () => {
  it("must not contain anything that looks like a secret (D3)", async () => {
    const field = async (mcpServers: McpServers): Promise<string | undefined> => {
      const [code = "mcp_server_invalid", message] = (await refusal({ mcpServers })) ?? [];
      expect(code).toBe("mcp_server_invalid");
      expect(message ?? "").not.toContain(SECRET);
      return /^mcpServers\.own\.(\S+) looks like a secret/u.exec(message ?? "")?.[1];
    };
    expect(await field(address({ headers: { Authorization: "x" } }))).toBe("headers.Authorization");
    expect(await field(address({ headers: { "x-api-key": "1" } }))).toBe("headers.x-api-key");
    expect(await field(address({ headers: { Region: "eu" } }))).toBeUndefined();
    expect(await field(address({ url: "https://me:pass@mcp.example/" }))).toBe("url");
    expect(await field(address({ url: `https://mcp.example/?token=1` }))).toBe("url");
    expect(await field(program({ env: { MY_PASSWORD: "short" } }))).toBe("env.MY_PASSWORD");
    expect(await field(program({ env: { LEVEL: SECRET } }))).toBe("env.LEVEL");
    expect(await field(program({ args: ["--api-key=abc"] }))).toBe("args.0");
    expect(await field(program({ args: ["run", SECRET] }))).toBe("args.1");
    expect(await field(program({ args: ["--level", "debug"], env: { A: "b" } }))).toBeUndefined();
  });

  it("use only variables of the server that the operator has allowed (D3)", async () => {
    expect(await refusal({ mcpServers: program({ envFrom: { A: "MY_TOKEN" } }) })).toBeNull();
    for (const mcpServers of [
      program({ envFrom: { A: "OTHER_TOKEN" } }),
      address({ headersFrom: { A: "PATH" } }),
    ]) {
      const [code, message] = (await refusal({ mcpServers })) ?? [];
      expect(code).toBe("mcp_server_invalid");
      expect(message).toContain('"mcpVariables"');
    }
  });

  it("include only directories inside the workspace root, by their real paths (D3)", async () => {
    symlinkSync(docs, path.join(test.folder, "root", "link"));
    symlinkSync("/etc", path.join(test.folder, "root", "trap"));
    const id = await test.createSession({ directories: ["link", docs, test.repoPath] });
    const { session } = await test.read(id);
    expect(session.directories).toEqual([docs, test.repoPath]);
    expect(await refusal({ directories: ["/etc"] })).toMatchObject(["path_outside_root", /etc/u]);
    expect(await refusal({ directories: ["trap"] })).toMatchObject(["path_outside_root", /trap/u]);
    expect(await refusal({ directories: ["../.."] })).toMatchObject(["path_outside_root", {}]);
    expect(await refusal({ directories: ["nothing"] })).toMatchObject(["path_not_found", {}]);
  });

  it("are kept through crashes and forks, and a run tells what its agent lacks (D3)", async () => {
    const mcpServers = {
      ...address({ headersFrom: { "X-Own": "MY_TOKEN" } }),
      web: { type: "http", url: "https://mcp.example/", headers: {}, headersFrom: {} },
    } as const;
    const id = await test.createSession({ mcpServers, directories: [docs] });
    await test.restartAfterCrash();
    await test.send(id, script(say("hello")));
    const whole = await test.idle(id);
    expect(whole.session).toMatchObject({ mcpServers, directories: [docs] });
    expect(transcript(whole).slice(-2)).toEqual([
      "system The MCP server web is left out: Scripted agent does not support MCP over HTTP.\n" +
        `Scripted agent is not told about further directories, but can work in them: ${docs}`,
      "agent hello",
    ]);
    const fork = ok(await test.runtime.fork({ sessionId: id, atMessage: null }));
    expect(fork.session).toMatchObject({ mcpServers, directories: [docs] });
  });

  it("replace those of the live agent with the next run, which continues its session (D3)", async () => {
    const id = await test.createSession();
    await test.send(id, script(say("one")));
    await test.idle(id);
    const [before] = await test.processes();
    await test.send(id, script(say("two")));
    await test.idle(id);
    expect(await test.processes()).toEqual([before]);
    const changes = { mcpServers: program() };
    ok(await test.runtime.updateSession({ sessionId: id, changes }));
    await test.send(id, script(say("three")));
    const whole = await test.idle(id);
    const after = await test.processes();
    expect(after).toHaveLength(1);
    expect(after).not.toEqual([before]);
    expect(transcript(whole).at(-1)).toBe("agent three");
    const runs = await test.store.readRuns(id);
    expect(runs.map(({ status, memory }) => [status, memory?.how])).toEqual([
      ["completed", "none"],
      ["completed", "live"],
      ["completed", "resumed"],
    ]);
    ok(await test.runtime.updateSession({ sessionId: id, changes }));
    await test.send(id, script(say("four")));
    await test.idle(id);
    expect(await test.processes()).toEqual(after);
  });

  it("that an agent does not get are named once per session, and new ones later (D3)", async () => {
    const web: McpServer = {
      type: "http",
      url: "https://mcp.example/",
      headers: {},
      headersFrom: {},
    };
    const id = await test.createSession({ mcpServers: { first: web } });
    const notices = async (): Promise<readonly string[]> =>
      (await test.idle(id)).messages.flatMap(({ content: { notice, text } }) =>
        notice === "connections" && typeof text === "string" ? [text] : [],
      );
    await test.send(id, script(say("one")));
    const first =
      "The MCP server first is left out: Scripted agent does not support MCP over HTTP.";
    expect(await notices()).toEqual([first]);
    await test.killAgents();
    await test.send(id, script(say("two")));
    expect(await notices()).toEqual([first]);
    const mcpServers = { first: web, second: web };
    ok(await test.runtime.updateSession({ sessionId: id, changes: { mcpServers } }));
    await test.send(id, script(say("three")));
    expect(await notices()).toEqual([first, first.replace("first", "second")]);
  });

  it("lose a directory that has become a link to elsewhere, and say so (D3)", async () => {
    const id = await test.createSession({ directories: [docs] });
    rmdirSync(docs);
    symlinkSync("/etc", docs);
    await test.send(id, script(say("hello")));
    const lines = transcript(await test.idle(id));
    expect(lines.at(-2)).toContain(`The directory ${docs} is left out: `);
    expect(lines.at(-2)).toContain("is outside the workspace root");
  });
});
