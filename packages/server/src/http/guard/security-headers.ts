import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from "fastify";

/** Replies are data: nothing in them runs, is framed, guessed at, read by other sites, or kept by a cache. */
const HEADERS = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
} as const;

/** Set first, so that streams and refusals have them too; a page puts its own policy in their place. */
export function securityHeaders(
  _request: FastifyRequest,
  reply: FastifyReply,
  done: HookHandlerDoneFunction,
): void {
  reply.headers(HEADERS);
  done();
}
