import type { FastifyInstance, RawServerDefault } from "fastify";
import type { IncomingMessage } from "node:http";
import { matchesRoute, pathOf } from "../wire/route-path.ts";

export interface HeadRequests {
  /** Asked before a route is looked for. */
  readonly rewriteUrl: (request: IncomingMessage) => string;
  /** To be added before any route. */
  addTo(app: FastifyInstance<RawServerDefault>): void;
}

const heads = new WeakSet<IncomingMessage>();

/**
 * HEAD is answered as GET is, but where a route of its own says otherwise: Node leaves the body out. As routes of their own, which the
 * framework would make of each, they would take a tenth of a server's start.
 */
export function createHeadRequests(): HeadRequests {
  const own: string[] = [];
  return {
    rewriteUrl: (request) => {
      const { method, url = "/" } = request;
      if (method === "HEAD" && !own.some((pattern) => matchesRoute(pattern, pathOf(url)))) {
        heads.add(request);
        request.method = "GET";
      }
      return url;
    },
    addTo: (app) => {
      app.addHook("onRoute", ({ method, url }) => {
        if ([method].flat().includes("HEAD")) own.push(url);
      });
    },
  };
}

/** As it was asked. */
export function methodOf(request: IncomingMessage): string | undefined {
  return heads.has(request) ? "HEAD" : request.method;
}
