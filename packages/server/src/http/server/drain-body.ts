import type { FastifyInstance } from "fastify";
import type { IncomingMessage } from "node:http";

export interface DrainLimits {
  readonly bytes: number;
  /** The time to read the rest of the body. */
  readonly totalMs: number;
  /** The time without a single byte. */
  readonly idleMs: number;
}

const DRAIN_LIMITS: DrainLimits = {
  bytes: 64 * 1024 * 1024,
  totalMs: 30_000,
  idleMs: 2_000,
};

/**
 * Reads and discards the rest of the body before it refuses a request. If the server closed a connection with unread
 * bytes, the system would reset it: the client could lose the reply, and a proxy would count the node as failed.
 * If the body exceeds the limits, the server replies and closes the connection.
 */
export function drainRefusedBodies(app: FastifyInstance, limits: DrainLimits = DRAIN_LIMITS): void {
  app.addHook("onSend", async ({ raw }, reply) => {
    const isRead = raw.complete || raw.readableEnded;
    if (reply.statusCode < 400 || isRead || !announcesBody(raw)) return;
    const isWhole = await drain(raw, limits);
    // Fastify closes the connection after a body that it did not read.
    if (isWhole) reply.removeHeader("connection");
    else reply.header("connection", "close");
  });
}

function announcesBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"]) > 0;
}

/** Returns false if the body exceeds the limits. */
function drain(body: IncomingMessage, limits: DrainLimits): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  let bytes = 0;
  const giveUp = (): void => resolve(false);
  const finish = (): void => resolve(true);
  const total = setTimeout(giveUp, limits.totalMs).unref();
  const idle = setTimeout(giveUp, limits.idleMs).unref();
  const count = (chunk: Buffer): void => {
    idle.refresh();
    bytes += chunk.length;
    if (bytes > limits.bytes) giveUp();
  };
  // A reader that stopped early would hold back the rest.
  body.removeAllListeners("readable");
  body.on("data", count).once("end", finish).once("close", finish).resume();
  return promise.finally(() => {
    clearTimeout(total);
    clearTimeout(idle);
    body.off("data", count).off("end", finish).off("close", finish).pause();
  });
}
