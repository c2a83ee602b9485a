import { AcpServer } from "@agentclientprotocol/sdk/experimental/server";
import type { AgentApp } from "@agentclientprotocol/sdk/unstable";
import { withEnd } from "../response-end.ts";

/** At once, over each transport. */
export const MAX_CONNECTIONS = 1_000;
/** Output that a slow editor has not read. The agent's output waits in the server's database meanwhile. */
const MAX_BUFFERED_BYTES = 8 * 1024 * 1024;
/** A connection of streamable HTTP without an open stream and without requests is forgotten. Its sessions go on. */
const IDLE_MS = 10 * 60_000;

interface Use {
  readonly owner: string;
  streams: number;
  lastAt: number;
}

const CONNECTION_ID = "Acp-Connection-Id";

/** Binds a connection to the caller that opened it, and forgets connections that nobody uses. */
export class BoundServer extends AcpServer {
  readonly #uses = new Map<string, Use>();
  readonly #callerKey: () => string;
  readonly #now: () => number;

  constructor(createAgent: () => AgentApp, callerKey: () => string, now: () => number) {
    super({ createAgent, maxBufferedBytes: MAX_BUFFERED_BYTES });
    this.#callerKey = callerKey;
    this.#now = now;
  }

  override async handleRequest(request: Request): Promise<Response> {
    const id = request.headers.get(CONNECTION_ID);
    const use = id === null ? undefined : this.#uses.get(id);
    if (id !== null && use?.owner !== this.#callerKey())
      return new Response(`Unknown ${CONNECTION_ID}`, { status: 404 });
    if (id === null && this.#uses.size >= MAX_CONNECTIONS)
      return new Response("Too many connections", {
        status: 503,
        headers: { "Retry-After": "60" },
      });
    if (use !== undefined) use.lastAt = this.#now();
    const response = await super.handleRequest(request);
    this.#note(request, response, id);
    return use !== undefined && isStream(response) ? this.#counted(response, use) : response;
  }

  async sweep(): Promise<void> {
    const oldest = this.#now() - IDLE_MS;
    const idle = [...this.#uses].filter(
      ([, { streams, lastAt }]) => streams === 0 && lastAt < oldest,
    );
    for (const [id] of idle) {
      this.#uses.delete(id);
      await super.handleRequest(
        new Request("http://localhost/acp", { method: "DELETE", headers: { [CONNECTION_ID]: id } }),
      );
    }
  }

  #note({ method }: Request, { headers, status }: Response, id: string | null): void {
    const opened = headers.get(CONNECTION_ID);
    if (opened !== null)
      this.#uses.set(opened, { owner: this.#callerKey(), streams: 0, lastAt: this.#now() });
    if (id !== null && ((method === "DELETE" && status < 300) || status === 404))
      this.#uses.delete(id);
  }

  /** Counts the stream as open until it ends or the editor goes. */
  #counted(response: Response, use: Use): Response {
    use.streams += 1;
    const end = (): void => {
      use.streams -= 1;
      use.lastAt = this.#now();
    };
    return withEnd(response, end);
  }
}

function isStream({ headers }: Response): boolean {
  return headers.get("content-type")?.startsWith("text/event-stream") === true;
}
