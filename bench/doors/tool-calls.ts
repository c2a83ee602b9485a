import { setTimeout as pause } from "node:timers/promises";
import { createSession } from "../floor/bench-session.ts";
import { openConnection, requestJson } from "../floor/raw-http.ts";
import { figuresOf } from "../measure.ts";
import { BETWEEN_MS, msBetween, WARM_UP, type DoorPlace, type DoorRow } from "./door.ts";
import { startPeer } from "./peer.ts";

export const INITIALIZE_MCP = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "bench", version: "1" },
};

/** The version in which each request stands for itself, and its reply is plain JSON. */
const VERSION = "2026-07-28";
const META = {
  "io.modelcontextprotocol/protocolVersion": VERSION,
  "io.modelcontextprotocol/clientInfo": INITIALIZE_MCP.clientInfo,
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** A way to look at one session. */
interface Way {
  readonly name: string;
  readonly times: number[];
  /** Ends with the reply. */
  look(): Promise<void>;
  close(): Promise<void> | void;
}

/** Calls a tool that reads one session in turns: through each door, and the same session over the API. */
export async function measureToolCalls(
  place: DoorPlace,
  calls: number,
): Promise<readonly DoorRow[]> {
  const id = await createSession(place.running);
  const api = await openApi(place, id);
  const doors = [await openStdio(place, id), await openHttp(place, id)];
  const ways = [...doors, api];
  for (let index = -WARM_UP; index < calls; index += 1) {
    for (const { look, times } of index % 2 === 0 ? ways : ways.toReversed()) {
      const startedAt = process.hrtime.bigint();
      await look();
      const tookMs = msBetween(startedAt, process.hrtime.bigint());
      await pause(BETWEEN_MS);
      if (index >= 0) times.push(tookMs);
    }
  }
  for (const way of ways) await way.close();
  return doors.map(({ name, times }) => ({
    name: `${name}: \`get_session\` → result`,
    door: figuresOf(times),
    beside: { name: api.name, figures: figuresOf(api.times) },
    goal: null,
  }));
}

async function openStdio({ program, data, repository }: DoorPlace, id: string): Promise<Way> {
  const peer = startPeer([program, "mcp", "--data", data], { cwd: repository });
  await peer.request("initialize", INITIALIZE_MCP);
  const params = { name: "get_session", arguments: { session: id } };
  return {
    name: "`holdfast mcp` on stdio",
    times: [],
    look: async () => {
      const { result } = await peer.request("tools/call", params);
      if (result["isError"] === true) throw new Error(JSON.stringify(result));
    },
    close: () => peer.close(),
  };
}

async function openHttp({ running }: DoorPlace, id: string): Promise<Way> {
  const connection = await openConnection(running.url);
  const headers = {
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": VERSION,
    "mcp-method": "tools/call",
    "mcp-name": "get_session",
  };
  const params = { name: "get_session", arguments: { session: id }, _meta: META };
  const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
  return {
    name: "`/mcp` over HTTP",
    times: [],
    look: async () => {
      const reply = await connection.request("POST", "/mcp", body, headers);
      const text = reply.body.toString();
      if (reply.status !== 200 || !text.includes(id)) throw new Error(`${reply.status} ${text}`);
    },
    close: () => connection.close(),
  };
}

async function openApi({ running }: DoorPlace, id: string): Promise<Way> {
  const connection = await openConnection(running.url);
  return {
    name: "GET of the API",
    times: [],
    look: async () => void (await requestJson(connection, { path: `/api/sessions/${id}` })),
    close: () => connection.close(),
  };
}
