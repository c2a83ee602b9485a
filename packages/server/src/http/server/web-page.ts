import type { FastifyReply, FastifyRequest } from "fastify";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import type { App } from "../app.ts";

const INDEX = "index.html";
const HIDDEN = { hide: true };
/** Files named by what is in them: another content has another name. */
const HASHED = "assets/";
const IMMUTABLE = "public, max-age=31536000, immutable";
const REVALIDATED = "public, max-age=0";
/** The build leaves smaller ones beside the files. */
const ENCODINGS = [
  { name: "br", end: ".br" },
  { name: "gzip", end: ".gz" },
] as const;

/** Agent text is shown on this page: nothing runs but our own scripts, nothing loads from elsewhere. */
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
      if (files.has(file)) void sendFile(request, reply, { folder, files, file });
      else reply.callNotFound();
      return reply;
    };
    for (const file of files) {
      const isPart = file.includes("/") || ENCODINGS.some(({ end }) => file.endsWith(end));
      if (!isPart)
        scope.get(`/${file}`, { schema: HIDDEN }, (request, reply) => send(request, reply, file));
    }
    // There are hundreds: a route for each would be made at every start.
    scope.get<{ Params: { file: string } }>("/assets/:file", { schema: HIDDEN }, (request, reply) =>
      send(request, reply, `assets/${request.params.file}`),
    );
    scope.get("/", { schema: HIDDEN }, (_request, reply) => sendPage(reply, folder));
  });
}

interface PageFile {
  readonly folder: string;
  readonly files: ReadonlySet<string>;
  readonly file: string;
}

async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { folder, files, file }: PageFile,
): Promise<void> {
  try {
    const { default: read } = await import("@fastify/send");
    const encoding = ENCODINGS.find(
      ({ name, end }) => files.has(`${file}${end}`) && accepts(request, name),
    );
    const name = encodeURI(`/${file}${encoding?.end ?? ""}`);
    const found = await read(request.raw, name, {
      root: folder,
      index: false,
      contentType: false,
      cacheControl: false,
    });
    const type = read.mime.getType(file) ?? "application/octet-stream";
    reply
      .code(found.statusCode)
      .headers(found.headers)
      .header("cache-control", file.startsWith(HASHED) ? IMMUTABLE : REVALIDATED)
      .header("content-type", read.isUtf8MimeType(type) ? `${type}; charset=utf-8` : type)
      .header("vary", "accept-encoding");
    if (encoding !== undefined) reply.header("content-encoding", encoding.name);
    reply.send(found.stream);
  } catch (error) {
    reply.send(error);
  }
}

function accepts({ headers }: FastifyRequest, encoding: string): boolean {
  const wishes = String(headers["accept-encoding"] ?? "").split(",");
  return wishes.some((wish) => {
    const [name = "", ...options] = wish.split(";").map((part) => part.trim().toLowerCase());
    return name === encoding && !options.some((option) => /^q=0(\.0*)?$/u.test(option));
  });
}

/** What the build leaves: a few files, and a folder of many. */
async function filesOf(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  const hasMany = entries.some((entry) => entry.isDirectory() && `${entry.name}/` === HASHED);
  const many = hasMany ? await readdir(path.join(folder, HASHED)) : [];
  return [...names, ...many.map((name) => HASHED + name)];
}

/** Addresses inside the page, such as that of a session, are the page's own business. */
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
