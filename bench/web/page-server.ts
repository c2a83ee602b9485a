import { createServer, type ServerResponse } from "node:http";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { answerText, growingMessage, sampleSession } from "./session-samples.ts";

export interface PageServer {
  readonly url: string;
  /** Streams an answer. Resolves to its length when all of it is written. */
  stream(options: { readonly perSecond: number; readonly seconds: number }): Promise<number>;
  close(): Promise<void>;
}

/** The security policy that the server sends with its page. */
const POLICY =
  "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'";
const TYPES: ReadonlyMap<string, string> = new Map([
  [".html", "text/html; charset=utf-8"],
  [".js", "text/javascript; charset=utf-8"],
  [".css", "text/css; charset=utf-8"],
]);
/** Characters per update. */
const PIECE = 12;

/** A server with one session that responds at once, so that the benchmark measures the page. */
export async function startPageServer(folder: string, messages: number): Promise<PageServer> {
  const session = sampleSession(messages);
  const readers = new Set<ServerResponse>();
  let seq = messages;

  const send = (event: string, data: unknown): void => {
    seq += 1;
    const text = `id: ${seq}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
    for (const reader of readers) reader.write(text);
  };

  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    if (pathname === "/api/sessions/bench") {
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(session));
    } else if (pathname === "/api/sessions/bench/events") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(": open\n\n");
      readers.add(response);
      response.once("close", () => readers.delete(response));
    } else void serveFile(folder, pathname, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("unreachable: a TCP server");

  return {
    url: `http://127.0.0.1:${address.port}`,
    async stream({ perSecond, seconds }) {
      const count = perSecond * seconds;
      const whole = answerText(Math.ceil((count * PIECE) / 900)).slice(0, count * PIECE);
      const messageSeq = seq + 1;
      send("message", growingMessage(messageSeq, "", false));
      const { id } = growingMessage(messageSeq, "", false);
      const start = performance.now();
      for (let index = 0; index < count; index += 1) {
        const dueMs = start + (index * 1_000) / perSecond;
        const waitMs = dueMs - performance.now();
        if (waitMs > 1) await pause(waitMs);
        send("delta", { messageId: id, text: whole.slice(index * PIECE, (index + 1) * PIECE) });
      }
      send("message", growingMessage(messageSeq, whole, true));
      return whole.length;
    },
    async close() {
      for (const reader of readers) reader.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function serveFile(folder: string, name: string, response: ServerResponse): Promise<void> {
  const file = path.join(folder, name === "/" ? "index.html" : path.normalize(name));
  const type = TYPES.get(path.extname(file)) ?? "application/octet-stream";
  try {
    const body = await readFile(file);
    response.writeHead(200, { "content-type": type, "content-security-policy": POLICY }).end(body);
  } catch {
    response.writeHead(404).end();
  }
}
