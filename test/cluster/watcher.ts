import { get, type IncomingMessage } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import {
  applyEvent,
  MissingMessageError,
  type StreamEvent,
} from "../../packages/client/src/index.ts";
import { parseFeedEvent } from "../../packages/protocol/src/index.ts";
import type { ClusterNode } from "./cluster-node.ts";
import type { Connection, History, View } from "./history.ts";
import { BEARER } from "../../packages/server/src/http/testing/server-token.ts";

export interface Watcher {
  readonly view: View;
  /** The node it is connected to, or null. */
  readonly node: string | null;
  /** Breaks the connection. The watcher reconnects. */
  cut(): void;
  stop(): Promise<void>;
}

/** The parts of a node that a client needs. */
export type Reachable = Pick<ClusterNode, "name" | "url" | "client" | "isUp">;

/** Nodes send a heartbeat every 15 seconds. */
const SILENT_MS = 20_000;
const RECONNECT_MS = 100;

/**
 * A client that parses the stream itself, so that no library hides an error. After each disconnection it connects to
 * the node that `choose` returns, with its last event ID.
 */
export async function openWatcher(
  history: History,
  {
    client,
    sessionId,
    choose,
    staysMs = Infinity,
  }: {
    readonly client: string;
    readonly sessionId: string;
    /** Gets the name of the previous node. */
    readonly choose: (last: string | null) => Reachable;
    /** Disconnects after this time and reconnects to another node. */
    readonly staysMs?: number;
  },
): Promise<Watcher> {
  const stopped = new AbortController();
  const first = await choose(null).client.sessions.get(sessionId);
  const view: View = { client, sessionId, first, connections: [], session: first };
  history.views.push(view);
  let current: string | null = null;
  let cut = (): void => {};
  const work = async (): Promise<void> => {
    let last: string | null = null;
    while (!stopped.signal.aborted) {
      const node = choose(last);
      last = node.name;
      await readConnection(view, {
        node,
        staysMs,
        signal: stopped.signal,
        onOpen: (response) => {
          current = node.name;
          cut = () => void response.destroy();
        },
      });
      current = null;
      await pause(RECONNECT_MS, undefined, { signal: stopped.signal }).catch(() => {});
    }
  };
  const working = work();
  return {
    view,
    get node() {
      return current;
    },
    cut: () => cut(),
    stop: async () => {
      stopped.abort();
      await working;
    },
  };
}

/** Chooses one node after another. Skips nodes that are down while another is up. */
export function roundRobin(
  nodes: readonly ClusterNode[],
  start = 0,
): (last: string | null) => ClusterNode {
  let next = start;
  return () => {
    for (let tries = 0; tries < nodes.length; tries += 1) {
      const node = nodes[next % nodes.length];
      next += 1;
      if (node?.isUp === true) return node;
    }
    const node = nodes[next % nodes.length];
    if (node === undefined) throw new Error("no nodes");
    return node;
  };
}

async function readConnection(
  view: View,
  {
    node,
    staysMs,
    signal,
    onOpen,
  }: {
    readonly node: Reachable;
    readonly staysMs: number;
    readonly signal: AbortSignal;
    readonly onOpen: (response: IncomingMessage) => void;
  },
): Promise<void> {
  const after = Number(view.session.lastEventId);
  const response = await openStream(`${node.url}/api/sessions/${view.sessionId}/events`, {
    after,
    signal,
  });
  if (response === null) return;
  onOpen(response);
  const connection: Connection = { node: node.name, at: Date.now(), after, events: [] };
  view.connections.push(connection);
  const disconnectTimer =
    staysMs === Infinity ? undefined : setTimeout(() => response.destroy(), staysMs);
  try {
    let rest = "";
    let pending: StreamEvent[] = [];
    response.setEncoding("utf8");
    for await (const chunk of response) {
      const blocks = (rest + String(chunk)).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        const event = parseBlock(block);
        if (event === null) continue;
        connection.events.push({ at: Date.now(), event });
        pending.push(event);
        if (event.id === null) continue;
        for (const complete of pending)
          view.session = applyEvent(view.session, complete) ?? view.session;
        pending = [];
      }
    }
  } catch (error) {
    if (error instanceof MissingMessageError) throw error;
    // Disconnected. Incomplete events are sent again.
  } finally {
    clearTimeout(disconnectTimer);
  }
}

function parseBlock(block: string): StreamEvent | null {
  const field = (name: string): string | null =>
    new RegExp(`^${name}: (.*)$`, "mu").exec(block)?.[1] ?? null;
  const [name, data] = [field("event"), field("data")];
  if (name === null || data === null) return null;
  const event = parseFeedEvent(name, JSON.parse(data));
  return event === null ? null : { id: field("id"), ...event };
}

/** Null if the node does not respond with a stream. */
function openStream(
  url: string,
  { after, signal }: { readonly after: number; readonly signal: AbortSignal },
): Promise<IncomingMessage | null> {
  return new Promise((resolve) => {
    const request = get(url, {
      agent: false,
      headers: { accept: "text/event-stream", "last-event-id": String(after), ...BEARER },
      timeout: SILENT_MS,
    });
    const giveUp = (): void => void request.destroy();
    signal.addEventListener("abort", giveUp, { once: true });
    request.once("timeout", giveUp);
    request.once("error", () => resolve(null));
    request.once("close", () => signal.removeEventListener("abort", giveUp));
    request.once("response", (response) => {
      if (response.statusCode === 200) return resolve(response);
      response.resume();
      return resolve(null);
    });
  });
}
