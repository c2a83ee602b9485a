import { sessionParamsSchema } from "@holdfast/protocol";
import type { FastifyInstance, RawServerDefault } from "fastify";
import type { IncomingMessage } from "node:http";
import type { App, AppServices } from "../app.ts";
import { sendRefusal } from "../problems/send-problem.ts";
import { matchesRoute, pathOf } from "../wire/route-path.ts";

export interface HeadRequests {
  /** Fastify calls it before it looks for a route. */
  readonly rewriteUrl: (request: IncomingMessage) => string;
  /** Must be called before any route is added. */
  addTo(app: FastifyInstance<RawServerDefault>): void;
}

const heads = new WeakSet<IncomingMessage>();

/**
 * Answers HEAD like GET, unless a route has its own HEAD: Node leaves out the body. Fastify's own HEAD routes, one for
 * each GET, would take a tenth of the server's start time.
 */
export function createHeadRequests(): HeadRequests {
  const ownPatterns: string[] = [];
  return {
    rewriteUrl: (request) => {
      const { method, url = "/" } = request;
      if (method === "HEAD" && !ownPatterns.some((pattern) => matchesRoute(pattern, pathOf(url)))) {
        heads.add(request);
        request.method = "GET";
      }
      return url;
    },
    addTo: (app) => {
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
    schema: { hide: true, params: sessionParamsSchema },
    handler: async ({ params }, reply) => {
      const session = await runtime.readSession(params.id);
      if (!session.ok) return sendRefusal(reply, session);
      return reply.code(200).header("content-type", mediaType).send();
    },
  });
}
