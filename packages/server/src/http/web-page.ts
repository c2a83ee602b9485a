import fastifyStatic from "@fastify/static";
import type { App } from "./build-app.ts";

/** Agent text is shown on this page: nothing runs but our own scripts, nothing loads from elsewhere. */
const HEADERS = {
  "content-security-policy":
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
} as const;

export async function addWebPage(app: App, folder: string): Promise<void> {
  await app.register(async (scope) => {
    scope.addHook("onRoute", (route) => {
      route.config = { ...route.config, isPublic: true };
    });
    scope.addHook("onSend", async (_request, reply) => {
      reply.headers(HEADERS);
    });
    await scope.register(fastifyStatic, { root: folder, wildcard: false, index: "index.html" });
  });
}
