import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { freePort } from "../../packages/server/src/storage/testing/free-port.ts";
import type { FirstRequest } from "../floor/contender.ts";
import { openConnection, requestJson } from "../floor/raw-http.ts";
import { cpuMsOfAll } from "../process-stat.ts";
import { LAST_MESSAGES, type ModelPeerOptions, type Peer, type PeerServer } from "./peer.ts";
import { environmentIn, startServer, type PeerProcess } from "./peer-process.ts";
import { FAKE_MODEL } from "./fake-model.ts";

const NEW_SESSION: FirstRequest = {
  method: "POST",
  path: "/session",
  body: { title: "A session of the benchmark" },
};

/** OpenCode: server and agent in one process, and a database of its own. */
export function openCodePeer({ name, program, folder, model }: ModelPeerOptions): Peer {
  const home = path.join(folder, "home");
  const work = path.join(folder, "work");
  const settings = path.join(home, ".config", "opencode");
  mkdirSync(settings, { recursive: true });
  mkdirSync(work, { recursive: true });
  writeFileSync(path.join(settings, "opencode.json"), JSON.stringify(settingsFor(model)));
  return {
    name,
    shows: "pieces",
    takesFlood: true,
    start: async (first) => {
      const port = await freePort();
      const command = {
        command: [program, "serve", "--hostname", "127.0.0.1", "--port", String(port)],
        folder: work,
        env: { ...environmentIn(home), OPENCODE_DISABLE_MODELS_FETCH: "1" },
      } as const;
      const health: FirstRequest = { method: "GET", path: "/global/health" };
      return serverOf(
        await startServer(command, {
          port,
          first: first === "session" ? NEW_SESSION : health,
          readyLine: "listening on",
        }),
      );
    },
  };
}

/** Without snapshots of the folder, which the other programs do not take here either. */
function settingsFor(model: string): object {
  return {
    model: `fake/${FAKE_MODEL}`,
    small_model: `fake/${FAKE_MODEL}`,
    share: "disabled",
    autoupdate: false,
    snapshot: false,
    provider: {
      fake: {
        npm: "@ai-sdk/openai-compatible",
        name: "Fake",
        options: { baseURL: `${model}/v1`, apiKey: "no-real-key" },
        models: { [FAKE_MODEL]: { name: "Fake", limit: { context: 1_000_000, output: 100_000 } } },
      },
    },
  };
}

function serverOf({ url, pid, answeredMs, kill }: PeerProcess): PeerServer {
  return {
    url,
    answeredMs,
    headers: {},
    pid,
    cpuMs: async () => cpuMsOfAll([pid]),
    newSession: () => NEW_SESSION,
    open: async () => {
      const connection = await openConnection(url);
      const { id } = await requestJson<{ readonly id: string }>(connection, NEW_SESSION);
      connection.close();
      return id;
    },
    reopen: async () => {},
    close: async (id) => {
      const connection = await openConnection(url);
      await requestJson(connection, { method: "DELETE", path: `/session/${id}` });
      connection.close();
    },
    message: (id, text) => ({
      method: "POST",
      path: `/session/${id}/prompt_async`,
      body: { parts: [{ type: "text", text }] },
    }),
    // Shows all sessions of the folder.
    events: () => "/event",
    read: (event, id) => {
      if (!event.includes(`"sessionID":"${id}"`)) return null;
      if (event.includes('"type":"message.part.delta"')) return "text";
      return event.includes('"type":"session.idle"') ? "end" : null;
    },
    lastMessages: async (id) => ({
      method: "GET",
      path: `/session/${id}/message?limit=${LAST_MESSAGES}`,
    }),
    history: (id) => ({ method: "GET", path: `/session/${id}/message` }),
    kill,
    stop: kill,
  };
}
