import type { FastifyInstance } from "fastify";
import type { IncomingMessage } from "node:http";

export interface DrainLimits {
  readonly bytes: number;
  /** From the first byte that is thrown away to the last. */
  readonly totalMs: number;
  /** Without a single byte. */
  readonly idleMs: number;
}

const DRAIN_LIMITS: DrainLimits = {
  bytes: 64 * 1024 * 1024,
  totalMs: 30_000,
  idleMs: 2_000,
};

/**
 * Refuses a request, with 413 for example, only after the rest of its body has been read and thrown away. If the server closed
 * the connection with bytes unread, the system would reset it: the client could lose the answer, and a proxy would
 * count the node as failed. A body that does not end within the limits is answered and cut.
 */
export function drainRefusedBodies(app: FastifyInstance, limits: DrainLimits = DRAIN_LIMITS): void {
  app.addHook("onSend", async ({ raw }, reply) => {
    const isRead = raw.complete || raw.readableEnded;
    if (reply.statusCode < 400 || isRead || !announcesBody(raw)) return;
    const isWhole = await drain(raw, limits);
    // The framework wants to close it after a body that it did not read.
    if (isWhole) reply.removeHeader("connection");
    else reply.header("connection", "close");
  });
}

function announcesBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"]) > 0;
}

/** False when there is more than the limits allow. */
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
  // A reader that stopped in the middle would hold the rest back.
  body.removeAllListeners("readable");
  body.on("data", count).once("end", finish).once("close", finish).resume();
  return promise.finally(() => {
    clearTimeout(total);
    clearTimeout(idle);
    body.off("data", count).off("end", finish).off("close", finish).pause();
  });
}
