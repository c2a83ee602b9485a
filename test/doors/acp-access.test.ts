import { methods } from "@agentclientprotocol/sdk/unstable";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import type { Scope } from "../../packages/server/src/domain/scope.ts";
import { ask, script } from "../../packages/server/src/providers/testing/script.ts";
import { openEditorWorld, prompt, textOf, type EditorWorld } from "./editor-world.ts";

const { session } = methods.agent;
let world: EditorWorld;

beforeAll(async () => {
  world = await openEditorWorld();
});
afterAll(async () => {
  await world.end();
});

const tokenFor = (scope: Scope) => world.client().tokens.create({ name: scope, scope });

/** The status with which the server refuses a WebSocket. */
function refusalOf(headers: Record<string, string>): Promise<number | undefined> {
  const socket = new WebSocket(`${world.server().url.replace("http", "ws")}/acp`, { headers });
  return new Promise((resolve, reject) => {
    socket.once("unexpected-response", (_request, { statusCode }) => resolve(statusCode));
    socket.once("open", () => reject(new Error("the socket was opened")));
    socket.once("error", () => {});
  });
}

const post = (headers: Record<string, string>, body: object): Promise<Response> =>
  fetch(`${world.server().url}/acp`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
const INITIALIZE = { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: 1 } };

describe("/acp", () => {
  it("refuses a WebSocket without a valid token, and of a page of another site (D5)", async () => {
    expect(await refusalOf({})).toBe(401);
    expect(await refusalOf({ authorization: "Bearer wrong" })).toBe(401);
    const { headers } = world.server();
    expect(await refusalOf({ ...headers, origin: "https://elsewhere.example" })).toBe(403);
  });

  it("refuses requests without a valid token (D5)", async () => {
    expect((await post({}, INITIALIZE)).status).toBe(401);
    expect((await post({ authorization: "Bearer wrong" }, INITIALIZE)).status).toBe(401);
  });

  it("gives a connection only to the token that opened it (D5)", async () => {
    const own = world.server().headers;
    const id = (await post(own, INITIALIZE)).headers.get("acp-connection-id") ?? "";
    const list = { jsonrpc: "2.0", id: 2, method: "session/list", params: {} };
    const { token } = await tokenFor("admin");
    const other = { authorization: `Bearer ${token}`, "acp-connection-id": id };
    expect((await post(other, list)).status).toBe(404);
    expect((await post({ ...own, "acp-connection-id": id }, list)).status).toBe(202);
  });

  it("lets a token do what its scope allows in the API (D5)", async () => {
    const reader = await world.open({ transport: "HTTP", token: (await tokenFor("read")).token });
    expect((await reader.agent.request(session.list, {})).sessions).toEqual([]);
    await expect(world.newSession(reader)).rejects.toThrow(/may not add one|needs a token/u);
    await world.client().repos.add({ path: world.root });
    await expect(world.newSession(reader)).rejects.toThrow(/needs a token with the scope send/u);
    const sender = await world.open({ transport: "HTTP", token: (await tokenFor("send")).token });
    const sessionId = await world.newSession(sender);
    await expect(sender.agent.request(session.delete, { sessionId })).rejects.toThrow(
      /needs a token with the scope admin/u,
    );
  });

  it("D6: refuses the answer and the mode of an editor with the scope send, and tells the person", async () => {
    const sender = await world.open({ transport: "HTTP", token: (await tokenFor("send")).token });
    const sessionId = await world.newSession(sender);
    const ended = prompt(sender, sessionId, script(ask({ id: "t1", title: "Delete it" })));
    await expect.poll(() => sender.permissions.length).toBe(1);
    await expect(
      sender.agent.request(session.setMode, { sessionId, modeId: "bypass" }),
    ).rejects.toThrow(/The field mode needs a token with the scope approve/u);
    sender.permissions[0]?.reply({ outcome: { outcome: "selected", optionId: "allow" } });
    await expect
      .poll(() => textOf(sender.updates))
      .toMatch(/The answer was not accepted: .* needs a token with the scope approve/u);
    const approver = await world.open({
      transport: "HTTP",
      token: (await tokenFor("approve")).token,
    });
    await approver.agent.request(session.load, { sessionId, cwd: world.root, mcpServers: [] });
    await expect.poll(() => approver.permissions.length).toBe(1);
    approver.permissions[0]?.reply({ outcome: { outcome: "selected", optionId: "allow" } });
    expect(await ended).toMatchObject({ stopReason: "end_turn" });
    expect(textOf(sender.updates)).toContain("answer: allow");
  });

  it("closes the WebSocket of a token that is revoked (D5)", async () => {
    const { token, id } = await tokenFor("send");
    const editor = await world.open({ transport: "WebSocket", token });
    await world.client().tokens.revoke(id);
    await editor.connection.closed;
    await expect(editor.agent.request(session.list, {})).rejects.toThrow(/closed/u);
  });
});
