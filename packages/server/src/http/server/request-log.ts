import type {
  FastifyBaseLogger,
  FastifyReply,
  FastifyRequest,
  HookHandlerDoneFunction,
} from "fastify";
import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { methodOf } from "./head-requests.ts";
import { pathOf } from "../wire/route-path.ts";

const SANE_ID = /^[\w.:/=+@-]{1,128}$/u;

/** The caller's id where it is fit to be logged and returned, so that both sides name a request alike. */
export function requestId({ headers }: Pick<IncomingMessage, "headers">): string {
  const given = headers["x-request-id"];
  return typeof given === "string" && SANE_ID.test(given) ? given : randomUUID();
}

/** One line a request, when it is over; also for streams and for those who hang up. */
export function logRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  done: HookHandlerDoneFunction,
): void {
  const startedAt = performance.now();
  reply.header("x-request-id", request.id);
  reply.raw.once("close", () => {
    request.log.info(
      {
        method: methodOf(request.raw),
        path: pathOf(request.url),
        status: reply.raw.statusCode,
        ms: Math.round((performance.now() - startedAt) * 10) / 10,
        ...(!reply.raw.writableFinished && { cut: true }),
      },
      "request",
    );
  });
  done();
}

/** Whatever is logged of a request or reply by the framework: never its headers. */
const serializers = {
  req: (request: { method?: string; url?: string }) => ({
    method: request.method,
    path: pathOf(request.url ?? ""),
  }),
  res: (reply: { statusCode?: number }) => ({ status: reply.statusCode }),
};
/** Told once to each logger, and not with every request. */
const careful = new WeakMap<FastifyBaseLogger, FastifyBaseLogger>();

export function childLogger(
  logger: FastifyBaseLogger,
  bindings: Record<string, unknown>,
): FastifyBaseLogger {
  let parent = careful.get(logger);
  if (parent === undefined) careful.set(logger, (parent = logger.child({}, { serializers })));
  return parent.child(bindings);
}
