import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from "fastify";
import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";

const SANE_ID = /^[\w.:/=+@-]{1,128}$/u;

/** The caller's id where it is fit to be logged and returned, so that both sides name a request alike. */
export function requestId({ headers }: Pick<IncomingMessage, "headers">): string {
  const given = headers["x-request-id"];
  return typeof given === "string" && SANE_ID.test(given) ? given : randomUUID();
}

/** One line a request, when it is over; also for streams and for those who hang up. */
export async function logRequest(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const startedAt = performance.now();
  reply.header("x-request-id", request.id);
  reply.raw.once("close", () => {
    request.log.info(
      {
        method: request.method,
        path: pathOf(request.url),
        status: reply.raw.statusCode,
        ms: Math.round((performance.now() - startedAt) * 10) / 10,
        ...(!reply.raw.writableFinished && { cut: true }),
      },
      "request",
    );
  });
}

/** Without the query, which may hold what nobody wants in a log. */
export function pathOf(url: string): string {
  return url.split(/[?#]/u, 1)[0] ?? "";
}

/** Whatever is logged of a request or reply by the framework: never its headers. */
export function childLogger(
  logger: FastifyBaseLogger,
  bindings: Record<string, unknown>,
): FastifyBaseLogger {
  return logger.child(bindings, {
    serializers: {
      req: (request: { method?: string; url?: string }) => ({
        method: request.method,
        path: pathOf(request.url ?? ""),
      }),
      res: (reply: { statusCode?: number }) => ({ status: reply.statusCode }),
    },
  });
}
