import type { FastifyReply } from "fastify";

/** A hijacked reply sends only its own headers. */
export function passHeaders(reply: FastifyReply): void {
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) reply.raw.setHeader(name, value);
}
