import type { StreamEvent } from "@holdfast/client";
import { applyEvent } from "@holdfast/client";
import type { SendMessageReply, WholeSession } from "@holdfast/protocol";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface ScriptedServer {
  readonly url: string;
  /** The requests in order, such as `POST /messages {"text":…}`, without reads. */
  readonly asked: readonly string[];
  readonly keys: ReadonlySet<string>;
  /** Resolves after a request that begins with this text. */
  got(start: string): Promise<void>;
  /** Sends the next event of the session to all streams. */
  happen(...events: readonly StreamEvent[]): void;
  /** Breaks all streams; with `away`, no request is answered until `back`. */
  cut(options?: { readonly away?: boolean }): void;
  back(): void;
  /** Resolves when a stream is open. */
  listened(): Promise<void>;
  close(): Promise<void>;
}

type Answer = { readonly status: number; readonly body: unknown } | "drop";

/** One session over real HTTP, controlled by the test. */
export async function openScriptedServer({
  session,
  sent,
  answers = {},
}: {
  readonly session: WholeSession;
  readonly sent: SendMessageReply;
  /** Replies by request, such as `POST /messages`, in order; afterwards the usual reply. */
  readonly answers?: Readonly<Record<string, readonly Answer[]>>;
}): Promise<ScriptedServer> {
  const log: StreamEvent[] = [];
  const streams = new Set<ServerResponse>();
  const asked: string[] = [];
  const keys = new Set<string>();
  const used = new Map<string, number>();
  let isAway = false;
  let whole: WholeSession | null = session;
  let onListened = (): void => {};
  let onAsked = (): void => {};

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (isAway) return void response.destroy();
    const url = new URL(request.url ?? "/", "http://localhost");
    const place = url.pathname.replace(/^\/api\/sessions\/[^/]+/u, "") || "/";
    const name = `${request.method} ${place}`;
    const body = await bodyOf(request);
    const key = request.headers["idempotency-key"];
    if (typeof key === "string") keys.add(key);
    if (request.method !== "GET") asked.push(`${name} ${body}`);
    onAsked();
    const turn = used.get(name) ?? 0;
    used.set(name, turn + 1);
    const reply = answers[name]?.[turn];
    if (reply === "drop") return void response.destroy();
    if (reply !== undefined) return json(response, reply.status, reply.body);
    if (name === "GET /events") return stream(request, response);
    if (whole === null) return json(response, 404, problem("session_not_found", 404));
    if (name === "POST /messages") return json(response, 202, sent);
    if (name === "GET /messages") {
      const after = Number(url.searchParams.get("after"));
      const messages = whole.messages.filter(({ seq }) => seq > after);
      const growing = messages.find(({ complete }) => !complete);
      const nextAfter = growing === undefined ? messages.at(-1)?.seq : growing.seq - 1;
      return json(response, 200, { messages, nextAfter: nextAfter ?? after });
    }
    const {
      repo: _,
      messages: __,
      rewoundRuns: ___,
      earlier: _____,
      lastEventId: ____,
      ...plain
    } = whole;
    json(
      response,
      200,
      name === "GET /" ? whole : name.startsWith("DELETE") ? { queue: [] } : plain,
    );
  };

  const stream = (request: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.flushHeaders();
    const after = Number(request.headers["last-event-id"] ?? 0);
    for (const event of log) if (Number(event.id) > after) response.write(encode(event));
    streams.add(response);
    response.once("close", () => streams.delete(response));
    onListened();
  };

  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    keys,
    async got(start) {
      while (!asked.some((each) => each.startsWith(start)))
        await new Promise<void>((resolve) => {
          onAsked = resolve;
        });
    },
    happen(...events) {
      for (const event of events) {
        const numbered = { ...event, id: String(log.length + 1) };
        log.push(numbered);
        whole = whole === null ? null : applyEvent(whole, numbered);
        for (const response of streams) response.write(encode(numbered));
      }
    },
    cut({ away = false } = {}) {
      isAway = away;
      for (const response of streams) response.destroy();
    },
    back: () => {
      isAway = false;
    },
    listened: () =>
      streams.size > 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            onListened = resolve;
          }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function problem(code: string, status: number): object {
  return { type: "about:blank", title: "No", status, code, detail: `No: ${code}.` };
}

function encode({ id, type, data }: StreamEvent): string {
  const name = type === "deleted" ? "session" : type;
  return `id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

function json(response: ServerResponse, status: number, body: unknown): void {
  const type = status < 400 ? "application/json" : "application/problem+json";
  response.writeHead(status, { "content-type": type }).end(JSON.stringify(body));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += String(chunk);
  return text;
}
