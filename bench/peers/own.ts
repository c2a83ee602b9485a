import type { Contender, Running } from "../floor/contender.ts";
import { createSession, deleteSession, isEnd, isOutput } from "../floor/bench-session.ts";
import { openConnection, requestJson } from "../floor/raw-http.ts";
import { cpuMsOfAll } from "../process-stat.ts";
import { LAST_MESSAGES, type Peer, type PeerServer } from "./peer.ts";

/** Holdfast or the floor, beside the peers. */
export function ownPeer(name: string, contender: Contender): Peer {
  let newSession: Running["newSession"] | null = null;
  return {
    name,
    shows: "pieces",
    takesFlood: true,
    start: async (first) => {
      // Only a running server tells what a new session needs.
      if (newSession === null) {
        const running = await contender.start();
        ({ newSession } = running);
        await running.kill();
      }
      const create = { method: "POST", path: "/api/sessions", body: newSession };
      return serverOf(contender, await contender.start(first === "session" ? create : undefined));
    },
  };
}

function serverOf(contender: Contender, running: Running): PeerServer {
  const { url, pid, answeredMs, newSession } = running;
  const create = { method: "POST", path: "/api/sessions", body: newSession };
  return {
    url,
    answeredMs,
    headers: {},
    pid,
    cpuMs: async () => cpuMsOfAll(await contender.processes(running)),
    newSession: () => create,
    open: () => createSession(running),
    reopen: async () => {},
    close: (id) => deleteSession(running, id),
    message: (id, text) => ({
      method: "POST",
      path: `/api/sessions/${id}/messages`,
      body: { text },
    }),
    events: (id) => `/api/sessions/${id}/events?after=0`,
    read: (event) => (isEnd(event) ? "end" : isOutput(event) ? "text" : null),
    lastMessages: async (id) => ({ method: "GET", path: await lastMessagesOf(contender, url, id) }),
    history: (id) => ({
      method: "GET",
      path: `/api/sessions/${id}${isFloor(contender) ? "" : "/messages?after=0&limit=200"}`,
    }),
    kill: running.kill,
    stop: running.kill,
  };
}

const isFloor = ({ location }: Contender): boolean => location === null;

async function lastMessagesOf(contender: Contender, url: string, id: string): Promise<string> {
  if (isFloor(contender)) return contender.lastMessages(id, 0);
  const connection = await openConnection(url);
  const { lastEventId } = await requestJson<{ readonly lastEventId: string }>(connection, {
    path: `/api/sessions/${id}`,
  });
  connection.close();
  return `/api/sessions/${id}/messages?before=${Number(lastEventId) + 1}&limit=${LAST_MESSAGES}`;
}
