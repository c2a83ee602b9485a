import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { toProblem } from "./problem-status.ts";

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

export interface GuardOptions {
  /** Without one, only names of this machine are answered: a foreign page cannot reach in through DNS. */
  readonly token: string | null;
}

/** Asked before any route, for every route. */
export function guard({ token }: GuardOptions) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (token === null) {
      if (LOOPBACK.has(hostName(request.headers.host))) return;
      const problem = toProblem(
        "host_not_allowed",
        "Without a token this server answers only to names of its own machine.",
      );
      return void reply.code(problem.status).type("application/problem+json").send(problem);
    }
    const isOpen = request.url === "/healthz" || request.routeOptions.config.isPublic === true;
    if (isOpen || isRightToken(request.headers.authorization, token)) return;
    const problem = toProblem(
      "unauthorized",
      "This server needs a token: send it as Authorization: Bearer TOKEN.",
    );
    return void reply
      .code(problem.status)
      .header("www-authenticate", "Bearer")
      .type("application/problem+json")
      .send(problem);
  };
}

function hostName(host: string | undefined): string {
  return (host ?? "").toLowerCase().replace(/:\d+$/u, "");
}

function isRightToken(authorization: string | undefined, token: string): boolean {
  const given = /^Bearer (.+)$/iu.exec(authorization ?? "")?.[1];
  return given !== undefined && timingSafeEqual(digest(given), digest(token));
}

/** Equal lengths, so that a comparison tells nothing about the token's. */
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** Served without a token: the page's own files, which hold no data. */
    isPublic?: boolean;
  }
}
