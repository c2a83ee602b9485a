import type { FastifyInstance } from "fastify";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Requests in progress have this long to finish when the server closes. */
const CLOSE_TIMEOUT_MS = 3_000;

/**
 * Lets requests in progress finish when the server closes, and closes idle connections at once. These include connections
 * that never had a request: browsers open them in advance, and Node would wait for them.
 */
export function addGracefulClose(app: FastifyInstance): void {
  const { server } = app;
  const idle = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    idle.add(socket);
    socket.once("close", () => idle.delete(socket));
  });
  server.on("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
    idle.delete(socket);
    response.once("close", () => {
      if (!socket.destroyed) idle.add(socket);
    });
  });
  app.addHook("preClose", async () => {
    for (const socket of idle) socket.destroy();
    const timer = setTimeout(() => server.closeAllConnections(), CLOSE_TIMEOUT_MS);
    timer.unref();
    server.once("close", () => clearTimeout(timer));
  });
}
