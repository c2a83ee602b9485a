import { mkdirSync, realpathSync } from "node:fs";
import path from "node:path";
import { freePort } from "../../packages/server/src/storage/testing/free-port.ts";
import type { FirstRequest } from "../floor/contender.ts";
import { openConnection, requestJson } from "../floor/raw-http.ts";
import { cpuMsWithChildren } from "../process-stat.ts";
import { FAKE_MODEL } from "./fake-model.ts";
import { LAST_MESSAGES, type ModelPeerOptions, type Peer, type PeerServer } from "./peer.ts";
import { environmentIn, familyOf, killAll, startServer, type PeerProcess } from "./peer-process.ts";

/** Qwen Code's daemon: a server, and one process with the agent of all sessions. It stores them in files. */
export function qwenPeer({ name, program, folder, model }: ModelPeerOptions): Peer {
  const home = path.join(folder, "home");
  const work = path.join(folder, "work");
  mkdirSync(home, { recursive: true });
  mkdirSync(work, { recursive: true });
  const cwd = realpathSync(work);
  const newSession: FirstRequest = {
    method: "POST",
    path: "/session",
    body: { cwd, sessionScope: "thread" },
  };
  return {
    name,
    shows: "pieces",
    takesFlood: false,
    start: async (first) => {
      const port = await freePort();
      const limits = ["--max-sessions", "0", "--no-web"];
      const command = {
        command: [process.execPath, program, "serve", "--port", String(port), ...limits],
        folder: work,
        env: {
          ...environmentIn(home),
          OPENAI_API_KEY: "no-real-key",
          OPENAI_BASE_URL: `${model}/v1`,
          OPENAI_MODEL: FAKE_MODEL,
        },
      } as const;
      const health: FirstRequest = { method: "GET", path: "/health" };
      const server = await startServer(command, {
        port,
        first: first === "session" ? newSession : health,
      });
      return serverOf(server, { newSession, cwd });
    },
  };
}

function serverOf(
  { url, pid, answeredMs, kill }: PeerProcess,
  { newSession, cwd }: { readonly newSession: FirstRequest; readonly cwd: string },
): PeerServer {
  const request = async <Value>(what: FirstRequest): Promise<Value> => {
    const connection = await openConnection(url);
    const reply = await requestJson<Value>(connection, what);
    connection.close();
    return reply;
  };
  const page = (id: string, limit: number): FirstRequest => ({
    method: "GET",
    path: `/session/${id}/transcript?direction=backward&limit=${limit}`,
  });
  return {
    url,
    answeredMs,
    headers: {},
    pid,
    cpuMs: async () => cpuMsWithChildren(pid),
    newSession: () => newSession,
    open: async () => (await request<{ readonly sessionId: string }>(newSession)).sessionId,
    reopen: async (id) => {
      await request({ method: "POST", path: `/session/${id}/load`, body: { cwd } });
    },
    close: async () => {},
    message: (id, text) => ({
      method: "POST",
      path: `/session/${id}/prompt`,
      body: { prompt: [{ type: "text", text }] },
    }),
    events: (id) => `/session/${id}/events`,
    read: (event) => {
      if (/^event: turn_complete$/mu.test(event)) return "end";
      return event.includes('"sessionUpdate":"agent_message_chunk"') ? "text" : null;
    },
    lastMessages: async (id) => page(id, LAST_MESSAGES),
    history: (id) => page(id, LAST_MESSAGES),
    kill,
    stop: async () => {
      const all = familyOf(pid);
      await kill();
      killAll(all);
    },
  };
}
