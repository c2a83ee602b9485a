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

const VALID_ID = /^[\w.:/=+@-]{1,128}$/u;

/** The client's ID if it is valid, so that both sides log the same one. */
export function requestId({ headers }: Pick<IncomingMessage, "headers">): string {
  const id = headers["x-request-id"];
  return typeof id === "string" && VALID_ID.test(id) ? id : randomUUID();
}

/** Logs one line when a request ends, also for streams and disconnected clients. */
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

/** Fastify must not log headers, which contain secrets. */
const serializers = {
  req: (request: { method?: string; url?: string }) => ({
    method: request.method,
    path: pathOf(request.url ?? ""),
  }),
  res: (reply: { statusCode?: number }) => ({ status: reply.statusCode }),
};
/** Each logger gets the serializers once, not with every request. */
const safeLoggers = new WeakMap<FastifyBaseLogger, FastifyBaseLogger>();

export function childLogger(
  logger: FastifyBaseLogger,
  bindings: Record<string, unknown>,
): FastifyBaseLogger {
  let parent = safeLoggers.get(logger);
  if (parent === undefined) safeLoggers.set(logger, (parent = logger.child({}, { serializers })));
  return parent.child(bindings);
}
