import { agent, methods, PROTOCOL_VERSION } from "@agentclientprotocol/sdk/unstable";
import { expect, it } from "vitest";
import { BoundServer } from "./bound-server.ts";

const MINUTE_MS = 60_000;
const URL = "http://localhost/acp";

function serverAt(clock: { now: number }): BoundServer {
  const door = agent({ name: "test" }).onRequest(methods.agent.initialize, () => ({
    protocolVersion: PROTOCOL_VERSION,
  }));
  return new BoundServer(
    () => door,
    () => "somebody",
    () => clock.now,
  );
}

async function connect(server: BoundServer): Promise<string> {
  const params = { protocolVersion: PROTOCOL_VERSION };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });
  const headers = { "content-type": "application/json" };
  const reply = await server.handleRequest(new Request(URL, { method: "POST", headers, body }));
  return reply.headers.get("acp-connection-id") ?? "";
}

const listen = (server: BoundServer, id: string): Promise<Response> =>
  server.handleRequest(
    new Request(URL, { headers: { accept: "text/event-stream", "acp-connection-id": id } }),
  );

it("a connection without a stream is forgotten after a while, and one with a stream is kept (D5)", async () => {
  const clock = { now: 0 };
  const server = serverAt(clock);
  const [idle, used] = [await connect(server), await connect(server)];
  const stream = await listen(server, used);
  clock.now = 11 * MINUTE_MS;
  await server.sweep();
  expect((await listen(server, idle)).status).toBe(404);
  // Still there: its stream has a reader already.
  expect((await listen(server, used)).status).toBe(409);
  await stream.body?.cancel();
  clock.now = 22 * MINUTE_MS + 1;
  await server.sweep();
  expect((await listen(server, used)).status).toBe(404);
  await server.close();
});
