import type { FastifyInstance } from "fastify";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** For requests under way when the server closes; then they are cut. */
const CLOSE_TIMEOUT_MS = 3_000;

/**
 * What is under way gets its answer, within a time. Connections without a request are closed at once,
 * also those that never had one: browsers keep such, and Node waits for them.
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
