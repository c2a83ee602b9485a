import { sessionParamsSchema } from "@holdfast/protocol";
import type { IncomingMessage } from "node:http";
import type { App, AppServices } from "../app.ts";
import { sendRefusal } from "../problems/send-problem.ts";
import { matchesRoute, pathOf } from "../wire/route-path.ts";

const heads = new WeakSet<IncomingMessage>();

/**
 * Answers HEAD like GET, unless a route has its own HEAD: Node leaves out the body. Fastify's own HEAD routes, one for
 * each GET, would take a tenth of the server's start time.
 */
export function createHeadRequests() {
  const ownPatterns: string[] = [];
  return {
    /** Fastify calls it before it looks for a route. */
    rewriteUrl: (request: IncomingMessage): string => {
      const { method, url = "/" } = request;
      if (method === "HEAD" && !ownPatterns.some((pattern) => matchesRoute(pattern, pathOf(url)))) {
        heads.add(request);
        request.method = "GET";
      }
      return url;
    },
    /** Must be called before any route is added. */
    addTo: (app: App): void => {
      app.addHook("onRoute", ({ method, url }) => {
        if ([method].flat().includes("HEAD")) ownPatterns.push(url);
      });
    },
  };
}

/** The method that the client sent. */
export function methodOf(request: IncomingMessage): string | undefined {
  return heads.has(request) ? "HEAD" : request.method;
}

/** Answers HEAD for a GET of a session that streams, without a stream. */
export function addSessionHead(
  app: App,
  runtime: AppServices["runtime"],
  url: `${string}/:id/${string}`,
  mediaType: string,
): void {
  app.route({
    method: "HEAD",
    url,
    schema: { hide: true, params: () => sessionParamsSchema },
    handler: async ({ params }, reply) => {
      const session = await runtime.readSession(params.id);
      if (!session.ok) return sendRefusal(reply, session);
      return reply.code(200).header("content-type", mediaType).send();
    },
  });
}
