import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";

export interface PageFront {
  /** Where the server is reached through it. */
  readonly url: string;
  /** From now on the page is the one of another build, with this title until its script runs. */
  rebuild(title: string): void;
  /** Breaks every connection there is; new ones are taken at once. */
  cut(): void;
  close(): Promise<void>;
}

/** Stands between a page and its server, and does what networks and new builds do. */
export async function openPageFront(behind: string): Promise<PageFront> {
  let title: string | null = null;
  const server = createServer((asked, answer) => {
    const { pathname } = new URL(asked.url ?? "/", behind);
    const change = title === null ? undefined : CHANGES.get(pathname);
    if (change === undefined || title === null) pass(asked, answer, behind);
    else void sendChanged(answer, { address: behind + pathname, change, title });
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
/** Each file has its fingerprint in the list of what is kept. */
const worker: Change = (text, title) =>
  text.replace(/(?<=url:"index\.html",revision:")[^"]+/u, title);

const CHANGES: ReadonlyMap<string, Change> = new Map([
  ["/", page],
  ["/index.html", page],
  ["/sw.js", worker],
]);

async function sendChanged(
  answer: ServerResponse,
  {
    address,
    change,
    title,
  }: { readonly address: string; readonly change: Change; readonly title: string },
): Promise<void> {
  const given = await fetch(address);
  const text = change(await given.text(), title);
  for (const name of ["content-type", "content-security-policy", "cache-control"]) {
    const value = given.headers.get(name);
    if (value !== null) answer.setHeader(name, value);
  }
  answer.end(text);
}

function pass(asked: IncomingMessage, answer: ServerResponse, behind: string): void {
  const { host } = new URL(behind);
  const { origin: _, ...headers } = asked.headers;
  const forward = request(
    new URL(asked.url ?? "/", behind),
    { method: asked.method ?? "GET", headers: { ...headers, host } },
    (given) => {
      answer.writeHead(given.statusCode ?? 502, given.headers);
      given.pipe(answer);
    },
  );
  forward.on("error", () => answer.destroy());
  answer.on("close", () => forward.destroy());
  asked.pipe(forward);
}
