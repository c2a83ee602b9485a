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

export interface Watcher {
  readonly view: View;
  /** Where it is connected now, if it is. */
  readonly node: string | null;
  /** Breaks the connection off; it makes another. */
  cut(): void;
  stop(): Promise<void>;
}

/** All that a client needs to know of a server. */
export type Reachable = Pick<ClusterNode, "name" | "url" | "client" | "isUp">;

/** Nodes show every 15 seconds that they live. */
const SILENT_MS = 20_000;
const RECONNECT_MS = 100;

/**
 * A client that reads the bytes of the stream itself, so that nothing is set right on the way. After each
 * break it goes to the node that `choose` names, with the last id it had.
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
    /** Given the node that was left. */
    readonly choose: (last: string | null) => Reachable;
    /** Breaks off by itself after so long, and goes on elsewhere. */
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

/** One after the other; a node that is down is passed over while another is up. */
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
  const leaving = staysMs === Infinity ? undefined : setTimeout(() => response.destroy(), staysMs);
  try {
    let rest = "";
    let held: StreamEvent[] = [];
    response.setEncoding("utf8");
    for await (const chunk of response) {
      const blocks = (rest + String(chunk)).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        const event = parseBlock(block);
        if (event === null) continue;
        connection.events.push({ at: Date.now(), event });
        held.push(event);
        if (event.id === null) continue;
        for (const whole of held) view.session = applyEvent(view.session, whole) ?? view.session;
        held = [];
      }
    }
  } catch (error) {
    if (error instanceof MissingMessageError) throw error;
    // Cut off; what was not whole comes again.
  } finally {
    clearTimeout(leaving);
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

/** Null when there is nobody, or what comes is not a stream. */
function openStream(
  url: string,
  { after, signal }: { readonly after: number; readonly signal: AbortSignal },
): Promise<IncomingMessage | null> {
  return new Promise((resolve) => {
    const request = get(url, {
      agent: false,
      headers: { accept: "text/event-stream", "last-event-id": String(after) },
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
