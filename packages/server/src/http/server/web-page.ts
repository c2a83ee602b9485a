import type { FastifyReply, FastifyRequest } from "fastify";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import type { App } from "../app.ts";
import { acceptsEncoding } from "../wire/accepts-encoding.ts";

const INDEX = "index.html";
const HIDDEN = { hide: true };
/** The names of these files contain a hash of their content. */
const HASHED = "assets/";
const IMMUTABLE = "public, max-age=31536000, immutable";
const REVALIDATED = "public, max-age=0";
/** The build writes compressed files beside the others. */
const ENCODINGS = [
  { name: "br", end: ".br" },
  { name: "gzip", end: ".gz" },
] as const;

/** The page shows text of agents. It may run only our own scripts, and load nothing from other sites. */
const HEADERS = {
  "content-security-policy":
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'",
} as const;

export async function addWebPage(app: App, folder: string): Promise<void> {
  const files = new Set(await filesOf(folder));
  await app.register(async (scope) => {
    scope.addHook("onRoute", (route) => {
      route.config = { ...route.config, isPublic: true };
    });
    scope.addHook("onSend", async (_request, reply) => {
      reply.headers(HEADERS);
    });
    const send = (request: FastifyRequest, reply: FastifyReply, file: string): FastifyReply => {
      if (files.has(file)) void sendFile(request, reply, folder, files, file);
      else reply.callNotFound();
      return reply;
    };
    for (const file of files) {
      const isPart = file.includes("/") || ENCODINGS.some(({ end }) => file.endsWith(end));
      if (!isPart)
        scope.get(`/${file}`, { schema: HIDDEN }, (request, reply) => send(request, reply, file));
    }
    // One route for hundreds of files keeps the start fast.
    scope.get<{ Params: { file: string } }>("/assets/:file", { schema: HIDDEN }, (request, reply) =>
      send(request, reply, `assets/${request.params.file}`),
    );
    scope.get("/", { schema: HIDDEN }, (_request, reply) => sendPage(reply, folder));
  });
}

async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  folder: string,
  files: ReadonlySet<string>,
  file: string,
): Promise<void> {
  try {
    const { default: read } = await import("@fastify/send");
    const encoding = ENCODINGS.find(
      ({ name, end }) => files.has(`${file}${end}`) && acceptsEncoding(request, name),
    );
    const name = encodeURI(`/${file}${encoding?.end ?? ""}`);
    const result = await read(request.raw, name, {
      root: folder,
      index: false,
      contentType: false,
      cacheControl: false,
    });
    const type = read.mime.getType(file) ?? "application/octet-stream";
    reply
      .code(result.statusCode)
      .headers(result.headers)
      .header("cache-control", file.startsWith(HASHED) ? IMMUTABLE : REVALIDATED)
      .header("content-type", read.isUtf8MimeType(type) ? `${type}; charset=utf-8` : type)
      .header("vary", "accept-encoding");
    if (encoding !== undefined) reply.header("content-encoding", encoding.name);
    reply.send(result.stream);
  } catch (error) {
    reply.send(error);
  }
}

/** The files of the build: a few at the top, and many in one folder. */
async function filesOf(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  const hasAssets = entries.some((entry) => entry.isDirectory() && `${entry.name}/` === HASHED);
  const assets = hasAssets ? await readdir(path.join(folder, HASHED)) : [];
  return [...names, ...assets.map((name) => HASHED + name)];
}

/** The page itself handles addresses such as that of a session. */
export function isPageAddress({ is404, method, url, headers }: FastifyRequest): boolean {
  return (
    is404 &&
    (method === "GET" || method === "HEAD") &&
    !url.startsWith("/api/") &&
    (headers.accept ?? "").includes("text/html")
  );
}

export async function sendPage(reply: FastifyReply, folder: string): Promise<FastifyReply> {
  const page = await readFile(path.join(folder, INDEX));
  return reply.code(200).headers(HEADERS).type("text/html; charset=utf-8").send(page);
}
