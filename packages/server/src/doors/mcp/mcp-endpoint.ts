import {
  createMcpHandler,
  isLegacyRequest,
  type Server,
  type ServerEvent,
  type ServerEventBus,
} from "@modelcontextprotocol/server";
import { withEnd } from "../response-end.ts";
import type { Caller } from "./caller.ts";
import { LegacyConnections } from "./legacy-connections.ts";
import { createMcpServer, type McpServerOptions } from "./mcp-server.ts";
import type { Resources } from "./surface.ts";

/** `/mcp`: MCP over streamable HTTP. The caller's rights were checked before. */
export interface McpEndpoint {
  handle(request: Request, body: unknown, from: McpCaller): Promise<Response>;
  close(): Promise<void>;
}

export interface McpCaller {
  /** Equal for requests of the same caller. */
  readonly key: string;
  readonly caller: Caller;
}

export type McpEndpointOptions = Omit<McpServerOptions, "caller" | "watches"> & {
  /** Changes the server before its first message. */
  readonly prepare?: (server: Server, caller: Caller) => void;
};

const SWEEP_EVERY_MS = 60_000;
/** Of one stream of changes. */
const KEEP_ALIVE_MS = 15_000;

/** Serves the version of 2026, where each request stands for itself, and the versions before, which have connections. */
export function createMcpEndpoint({
  prepare = () => {},
  ...options
}: McpEndpointOptions): McpEndpoint {
  const { surface, log } = options;
  const legacy = new LegacyConnections(Date.now);
  const timer = setInterval(() => void legacy.sweep(), SWEEP_EVERY_MS).unref();
  const modern = new Set<{ close(): Promise<void> }>();
  const serverFor = (caller: Caller, watches: McpServerOptions["watches"]): Server => {
    const server = createMcpServer({ ...options, caller, watches });
    prepare(server, caller);
    return server;
  };
  return {
    async handle(request, body, { key, caller }) {
      if (await isLegacyRequest(request, body)) {
        const createServer = () => serverFor(caller, "subscribed");
        return legacy.handle(request, { body, owner: key, createServer });
      }
      const handler = createMcpHandler(() => serverFor(caller, "nothing"), {
        legacy: "reject",
        keepAliveMs: KEEP_ALIVE_MS,
        bus: busOf(surface.resources, caller, log),
        onerror: (error) => log("a request", error),
      });
      modern.add(handler);
      const end = (): void => void modern.delete(handler);
      try {
        return withEnd(await handler.fetch(request, { parsedBody: body }), end);
      } catch (error) {
        end();
        throw error;
      }
    },
    async close() {
      clearInterval(timer);
      await legacy.close();
      await Promise.all([...modern].map((handler) => handler.close()));
    },
  };
}

/** The changes of the sessions that the caller may see, while a stream is open. */
function busOf(resources: Resources, caller: Caller, log: McpServerOptions["log"]): ServerEventBus {
  return {
    publish: () => {},
    subscribe(listener: (event: ServerEvent) => void) {
      const end = new AbortController();
      const watcher = {
        changed: (uri: string) => listener({ kind: "resource_updated", uri }),
        listChanged: () => listener({ kind: "resources_list_changed" }),
      };
      resources.watch(caller, watcher, end.signal).catch((error: unknown) => {
        if (!end.signal.aborted) log("following the sessions", error);
      });
      return () => end.abort();
    },
  };
}
