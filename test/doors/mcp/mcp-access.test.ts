import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask, say, script } from "../../../packages/server/src/providers/testing/script.ts";
import { openMcpWorld, textIn, type McpWorld } from "./mcp-world.ts";

let world: McpWorld;

beforeAll(async () => {
  world = await openMcpWorld();
});
afterAll(async () => {
  await world.end();
});

const READING = [
  "list_sessions",
  "search_sessions",
  "get_session",
  "read_history",
  "list_questions",
  "should_resume",
  "list_agents",
  "list_repositories",
  "wait",
];
const SENDING = ["set_phase", "create_session", "send_message", "cancel"];
const OF_ONE_SESSION = ["get_session", "read_history", "should_resume", "wait"];

const open = async (token: string) => world.open("HTTP 2026", { token });
const namesOf = async (token: string): Promise<string[]> => {
  const { client } = await open(token);
  return (await client.listTools()).tools.map(({ name }) => name).toSorted();
};

describe("the scope of a token", () => {
  it("decides which tools a client finds (D6)", async () => {
    const { id } = await world.client().sessions.create({});
    expect(await namesOf(await world.token("read"))).toEqual(READING.toSorted());
    const sending = [...READING, ...SENDING];
    expect(await namesOf(await world.token("send"))).toEqual(sending.toSorted());
    const all = [...sending, "answer"].toSorted();
    expect(await namesOf(await world.token("approve"))).toEqual(all);
    expect(await namesOf(await world.token("admin"))).toEqual(all);
    expect(await namesOf(await world.token("read", id))).toEqual(OF_ONE_SESSION.toSorted());
    expect(await namesOf(await world.token("send", id))).toEqual(
      [...OF_ONE_SESSION, "set_phase", "send_message", "cancel"].toSorted(),
    );
  });

  it("holds for calls of tools that are not listed (D6)", async () => {
    const { repos } = await world.client().repos.list();
    const repoId = repos[0]?.id ?? null;
    const { id } = await world.client().sessions.create({ repoId });
    const message = script(ask({ id: "t1", title: "Delete it" }));
    await world.client().sessions.send(id, { text: message });
    await expect.poll(async () => (await world.client().sessions.get(id)).state).toBe("suspended");
    const reader = await open(await world.token("read"));
    const sender = await open(await world.token("send"));
    expect(textIn(await reader.call("send_message", { session: id, text: "x" }))).toBe(
      "The tool send_message needs a token with the scope send. The scope of this token is read.",
    );
    expect(textIn(await sender.call("answer", { session: id, answer: "allow" }))).toBe(
      "The tool answer needs a token with the scope approve. The scope of this token is send.",
    );
    expect((await world.client().sessions.get(id)).state).toBe("suspended");
  });

  it("keeps a program from giving itself rules or more budget, whatever it writes (D6)", async () => {
    const sender = await open(await world.token("send"));
    const permissions = { rules: [{ decision: "allow" }] };
    expect(textIn(await sender.call("create_session", { metadata: { permissions } }))).toContain(
      "needs a token with the scope approve",
    );
    const { id: session } = await sender.data("create_session", {
      metadata: { budget: { tokens: 1 } },
    });
    const { tools } = await sender.client.listTools();
    expect(JSON.stringify(tools.map(({ inputSchema }) => inputSchema))).not.toMatch(
      /"(mode|options|mcpServers|directories|force)":/u,
    );
    const more = { session, text: "x", metadata: { budget: { tokens: 1_000 } } };
    expect(textIn(await sender.call("send_message", more))).toMatch(/Invalid arguments/u);
    const stored = await world.client().sessions.get(String(session), { tail: 1 });
    expect(stored.metadata).toEqual({ budget: { tokens: 1 } });
  });

  it("for one session reaches no other one (D6)", async () => {
    const { id: own } = await world.client().sessions.create({});
    const { id: other } = await world.client().sessions.create({ title: "secret" });
    const from = await open(await world.token("send", own));
    expect(await from.data("get_session", { session: own })).toMatchObject({ id: own });
    for (const [name, args] of [
      ["get_session", { session: other }],
      ["read_history", { session: other }],
      ["send_message", { session: other, text: "x" }],
      ["cancel", { session: other }],
      ["set_phase", { session: other, phase: "planning" }],
      ["list_sessions", {}],
      ["search_sessions", { query: "secret" }],
      ["list_questions", {}],
      ["create_session", {}],
    ] as const) {
      const result = await from.call(name, args);
      expect([name, result.isError, textIn(result)]).toEqual([
        name,
        true,
        `This token is only for the session ${own}.`,
      ]);
    }
    const { resources } = await from.client.listResources();
    expect(resources.every(({ uri }) => uri.includes(own))).toBe(true);
    await expect(
      from.client.readResource({ uri: `holdfast://sessions/${other}/transcript` }),
    ).rejects.toThrow(/only for the session/u);
  });

  it("ends with the token (D6)", async () => {
    const created = await world.client().tokens.create({ name: "x", scope: "read" });
    const from = await open(created.token);
    await from.data("list_agents");
    await world.client().tokens.revoke(created.id);
    await expect(from.call("list_agents")).rejects.toThrow(
      /unknown, expired or revoked|401|Unauthorized/iu,
    );
  });
});

describe("/mcp", () => {
  const post = (headers: Record<string, string>, body: string): Promise<Response> =>
    fetch(`${world.server().url}/mcp`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...headers,
      },
      body,
    });
  const INITIALIZE = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "raw", version: "1" },
    },
  });

  it("tells a client without a token where it learns which one it needs (D6)", async () => {
    const { url } = world.server();
    for (const headers of [{}, { authorization: "Bearer wrong" }] as Record<string, string>[]) {
      const refused = await post(headers, INITIALIZE);
      expect(refused.status).toBe(401);
      const metadata = `${url}/.well-known/oauth-protected-resource/mcp`;
      expect(refused.headers.get("www-authenticate")).toBe(
        `Bearer resource_metadata="${metadata}"`,
      );
      for (const address of [metadata, metadata.replace(/\/mcp$/u, "")])
        expect(await (await fetch(address)).json()).toEqual({
          resource: `${url}/mcp`,
          resource_name: "Holdfast",
          bearer_methods_supported: ["header"],
          scopes_supported: ["read", "send", "approve", "admin"],
        });
    }
    const api = await fetch(`${url}/api/sessions`);
    expect(api.headers.get("www-authenticate")).toBe("Bearer");
  });

  it("refuses pages of other sites, and bodies that are not JSON (D6)", async () => {
    const { headers } = world.server();
    const foreign = await post({ ...headers, origin: "https://elsewhere.example" }, INITIALIZE);
    expect(foreign.status).toBe(403);
    expect((await post({ ...headers, "content-type": "text/plain" }, INITIALIZE)).status).toBe(415);
    const broken = await post(headers, '{"jsonrpc": ');
    expect([broken.status, await broken.json()]).toMatchObject([400, { error: { code: -32_700 } }]);
    const deep = await post(headers, `${"[".repeat(5_000)}${"]".repeat(5_000)}`);
    expect([deep.status, await deep.json()]).toMatchObject([400, { error: { code: -32_700 } }]);
    const huge = await post(headers, `"${"x".repeat(3 * 1024 * 1024)}"`);
    expect(huge.status).toBe(413);
    for (const body of ["1", '"text"', "[]", '{"jsonrpc":"1.0"}', '{"jsonrpc":"2.0","id":{}}']) {
      const odd = await post(headers, body);
      expect([body, odd.status]).toEqual([body, 400]);
    }
  });

  it("gives a connection of an earlier version only to the token that opened it (D6)", async () => {
    const { headers } = world.server();
    const opened = await post(headers, INITIALIZE);
    const id = opened.headers.get("mcp-session-id") ?? "";
    await opened.text();
    const list = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/list", params: {} });
    const other = { authorization: `Bearer ${await world.token("admin")}` };
    expect((await post({ ...other, "mcp-session-id": id }, list)).status).toBe(404);
    const own = await post({ ...headers, "mcp-session-id": id }, list);
    expect(own.status).toBe(200);
    expect(await own.text()).toContain("send_message");
    expect((await post(headers, list)).status).toBe(400);
    expect((await post({ ...headers, "mcp-session-id": "none" }, list)).status).toBe(404);
  });

  it("says who answered: an orchestrator of the server's own user, or the token (D6)", async () => {
    const message = script(ask({ id: "t1", title: "Delete it" }), say("gone"));
    const answerAs = async (token?: string) => {
      const from = await world.open("HTTP 2025", { ...(token !== undefined && { token }) });
      const { id: session } = await from.data("create_session", { message });
      await from.data("wait", { session });
      await from.call("answer", { session, answer: "allow" });
      const { runs } = await world.client().sessions.runs(String(session));
      return runs[0]?.suspensions[0]?.answeredBy;
    };
    expect(await answerAs()).toBe("orchestrator");
    expect(await answerAs(await world.token("approve"))).toBe("token: approve");
  });
});
