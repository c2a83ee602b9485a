import { randomUUID } from "node:crypto";
import {
  isInitializeRequest,
  WebStandardStreamableHTTPServerTransport,
  type Server,
} from "@modelcontextprotocol/server";

import { withEnd } from "../response-end.ts";
import { SentMessages } from "./sent-messages.ts";

/** At once. */
const MAX_CONNECTIONS = 1_000;
/** A connection without an open stream and without requests is forgotten. Its sessions and runs go on. */
const IDLE_MS = 10 * 60_000;
const KEEP_ALIVE_MS = 15_000;
/** After which a client whose stream was cut should ask for the rest. */
const RETRY_MS = 1_000;

interface Connection {
  readonly owner: string;
  readonly server: Server;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  requests: number;
  lastAt: number;
}

/** Connections of clients of the versions before 2026, which begin with `initialize`. Each belongs to the caller that opened it. */
export class LegacyConnections {
  readonly #connections = new Map<string, Connection>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  async handle(
    request: Request,
    {
      body,
      owner,
      createServer,
    }: { readonly body: unknown; readonly owner: string; readonly createServer: () => Server },
  ): Promise<Response> {
    const id = request.headers.get("mcp-session-id");
    if (id === null) {
      if (request.method === "POST" && isInitialize(body))
        return this.#open(request, body, owner, createServer);
      return problem(400, -32_000, "The header Mcp-Session-Id is missing. Begin with initialize.");
    }
    const connection = this.#connections.get(id);
    if (connection?.owner !== owner)
      return problem(404, -32_001, "There is no such connection. Begin again with initialize.");
    return this.#within(connection, () =>
      connection.transport.handleRequest(request, { parsedBody: body }),
    );
  }

  async sweep(): Promise<void> {
    const oldest = this.#now() - IDLE_MS;
    for (const { requests, lastAt, server } of this.#connections.values())
      if (requests === 0 && lastAt < oldest) await server.close();
  }

  async close(): Promise<void> {
    for (const { server } of this.#connections.values()) await server.close();
  }

  async #open(
    request: Request,
    body: unknown,
    owner: string,
    createServer: () => Server,
  ): Promise<Response> {
    if (this.#connections.size >= MAX_CONNECTIONS)
      return problem(503, -32_000, "Too many connections. Try again later.", {
        "retry-after": "60",
      });
    const server = createServer();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      keepAliveMs: KEEP_ALIVE_MS,
      eventStore: new SentMessages(),
      retryInterval: RETRY_MS,
      onsessioninitialized: (id) => {
        this.#connections.set(id, { owner, server, transport, requests: 0, lastAt: this.#now() });
      },
    });
    await server.connect(transport);
    const closed = server.onclose;
    server.onclose = () => {
      closed?.();
      if (transport.sessionId !== undefined) this.#connections.delete(transport.sessionId);
    };
    const response = await transport.handleRequest(request, { parsedBody: body });
    if (transport.sessionId === undefined) await server.close();
    return response;
  }

  /** Counts the request as open until its response has ended. */
  async #within(connection: Connection, handle: () => Promise<Response>): Promise<Response> {
    connection.requests += 1;
    const end = (): void => {
      connection.requests -= 1;
      connection.lastAt = this.#now();
    };
    try {
      return withEnd(await handle(), end);
    } catch (error) {
      end();
      throw error;
    }
  }
}

function isInitialize(body: unknown): boolean {
  return [body].flat().some(isInitializeRequest);
}

function problem(
  status: number,
  code: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return Response.json({ jsonrpc: "2.0", error: { code, message }, id: null }, { status, headers });
}
