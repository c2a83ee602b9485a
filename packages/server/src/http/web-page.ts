import fastifyStatic from "@fastify/static";
import type { FastifyReply, FastifyRequest } from "fastify";
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { App } from "./build-app.ts";

const INDEX = "index.html";

/** Agent text is shown on this page: nothing runs but our own scripts, nothing loads from elsewhere. */
const HEADERS = {
  "content-security-policy":
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'",
} as const;

export async function addWebPage(app: App, folder: string): Promise<void> {
  await app.register(async (scope) => {
    scope.addHook("onRoute", (route) => {
      route.config = { ...route.config, isPublic: true };
    });
    scope.addHook("onSend", async (_request, reply) => {
      reply.headers(HEADERS);
    });
    await scope.register(fastifyStatic, { root: folder, wildcard: false, index: INDEX });
  });
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
