import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";

export interface PageFront {
  /** The server's address through this proxy. */
  readonly url: string;
  /** From now on serves the page as another build, with this title until its script runs. */
  rebuild(title: string): void;
  /** Breaks all connections. New ones are accepted at once. */
  cut(): void;
  close(): Promise<void>;
}

/** A proxy between a page and its server that simulates lost connections and new builds. */
export async function openPageFront(upstream: string): Promise<PageFront> {
  let title: string | null = null;
  const server = createServer((incoming, response) => {
    const { pathname } = new URL(incoming.url ?? "/", upstream);
    const change = title === null ? undefined : CHANGES.get(pathname);
    if (change === undefined || title === null) forward(incoming, response, upstream);
    else void sendChanged(response, { address: upstream + pathname, change, title });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("unreachable: a TCP server");
  return {
    url: `http://127.0.0.1:${address.port}`,
    rebuild: (next) => (title = next),
    cut: () => server.closeAllConnections(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type Change = (text: string, title: string) => string;

const page: Change = (text, title) =>
  text.replace(/<title>.*<\/title>/u, `<title>${title}</title>`);
/** The list of cached files contains a fingerprint of each file. */
const worker: Change = (text, title) =>
  text.replace(/(?<="url":"index\.html","revision":")[^"]+/u, title);

const CHANGES: ReadonlyMap<string, Change> = new Map([
  ["/", page],
  ["/index.html", page],
  ["/sw.js", worker],
]);

async function sendChanged(
  response: ServerResponse,
  {
    address,
    change,
    title,
  }: { readonly address: string; readonly change: Change; readonly title: string },
): Promise<void> {
  const original = await fetch(address);
  const text = change(await original.text(), title);
  for (const name of ["content-type", "content-security-policy", "cache-control"]) {
    const value = original.headers.get(name);
    if (value !== null) response.setHeader(name, value);
  }
  response.end(text);
}

function forward(incoming: IncomingMessage, response: ServerResponse, upstream: string): void {
  const { host } = new URL(upstream);
  const { origin: _, ...headers } = incoming.headers;
  const outgoing = request(
    new URL(incoming.url ?? "/", upstream),
    { method: incoming.method ?? "GET", headers: { ...headers, host } },
    (reply) => {
      response.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(response);
    },
  );
  outgoing.on("error", () => response.destroy());
  response.on("close", () => outgoing.destroy());
  incoming.pipe(outgoing);
}
