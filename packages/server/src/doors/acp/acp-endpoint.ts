import { AsyncLocalStorage } from "node:async_hooks";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import {
  createNodeHttpHandler,
  createNodeWebSocketUpgradeHandler,
} from "@agentclientprotocol/sdk/experimental/node";
import type { AgentApp } from "@agentclientprotocol/sdk/unstable";
import { WebSocketServer } from "ws";
import { BoundServer, MAX_CONNECTIONS } from "./bound-server.ts";

/** Who uses the endpoint. */
export interface EditorCaller {
  /** Equal for requests of the same caller. */
  readonly key: string;
  /** Whether it came over the server's Unix socket, where no token is needed. */
  readonly via: "socket" | "address";
  /** The `Authorization` of its requests; null if it has none. */
  readonly authorization: string | null;
}

/** `/acp`: editors over streamable HTTP and WebSocket. The caller's rights were checked before. */
export interface AcpEndpoint {
  handle(request: IncomingMessage, response: ServerResponse, caller: EditorCaller): void;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, caller: EditorCaller): void;
  close(): Promise<void>;
}

const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
const SWEEP_EVERY_MS = 60_000;
const FULL = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 60\r\nConnection: close\r\n\r\n";

export function createAcpEndpoint(createDoor: (caller: EditorCaller) => AgentApp): AcpEndpoint {
  const callers = new AsyncLocalStorage<EditorCaller>();
  const server = new BoundServer(
    () => {
      const caller = callers.getStore();
      if (caller === undefined) throw new Error("unreachable: a request without a caller");
      return createDoor(caller);
    },
    () => callers.getStore()?.key ?? "",
    Date.now,
  );
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
  });
  const handle = createNodeHttpHandler(server, { maxRequestBodyBytes: MAX_MESSAGE_BYTES });
  const upgrade = createNodeWebSocketUpgradeHandler(server, sockets);
  const timer = setInterval(() => void server.sweep(), SWEEP_EVERY_MS).unref();
  return {
    handle: (request, response, caller) => callers.run(caller, () => handle(request, response)),
    upgrade: (request, socket, head, caller) => {
      if (sockets.clients.size >= MAX_CONNECTIONS) return void socket.end(FULL);
      callers.run(caller, () => upgrade(request, socket, head));
    },
    async close() {
      clearInterval(timer);
      sockets.close();
      await server.close();
    },
  };
}
