import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { readProblems, writeProblems } from "../problems/problem-responses.ts";
import type { App } from "../app.ts";
import { doorCallerOf } from "./door-caller-of.ts";
import type { EditorDoor } from "./editor-door.ts";
import { passHeaders } from "./pass-headers.ts";

const URL = "/acp";
const TAGS = ["editors"];

/** The requests that want a WebSocket, with their connections. */
const upgrades = new WeakMap<IncomingMessage, { readonly socket: Duplex; readonly head: Buffer }>();

/** `/acp`: the Agent Client Protocol over streamable HTTP and WebSocket. */
export async function addEditorRoutes(app: App, door: EditorDoor): Promise<void> {
  app.addHook("preClose", () => door.close());
  await app.register(async (scope: App) => {
    // The door reads the body itself.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("application/json", (_request, _body, done) => done(null));
    const handle = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      passHeaders(reply.hijack());
      door.handle(request.raw, reply.raw, doorCallerOf(request));
    };
    scope.route({
      method: "POST",
      url: URL,
      schema: {
        tags: TAGS,
        operationId: "acpSend",
        summary: "Send a message of the Agent Client Protocol (streamable HTTP)",
        description: "The bodies and replies are those of the protocol.",
        response: writeProblems(),
      },
      handler: handle,
    });
    scope.route({
      method: "DELETE",
      url: URL,
      schema: {
        tags: TAGS,
        operationId: "acpClose",
        summary: "Close a connection of the Agent Client Protocol",
        response: writeProblems(),
      },
      handler: handle,
    });
    scope.route({
      method: "GET",
      url: URL,
      schema: {
        tags: TAGS,
        operationId: "acpStream",
        summary: "Receive messages of the Agent Client Protocol, or open a WebSocket",
        response: readProblems(),
      },
      handler: async (request, reply) => {
        const upgrade = upgrades.get(request.raw);
        if (upgrade === undefined) return handle(request, reply);
        reply.hijack();
        // The response keeps the socket, so that a revoked token closes it.
        door.upgrade(request.raw, upgrade.socket, upgrade.head, doorCallerOf(request));
      },
    });
  });
  routeUpgrades(app);
}

/** Requests for a WebSocket pass the same guard as all others. */
function routeUpgrades(app: App): void {
  // An import would also load all of `fetch`, which takes 40 ms of the server's start.
  const { ServerResponse } = process.getBuiltinModule("node:http");
  app.server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", () => socket.destroy());
    const response = new ServerResponse(request);
    response.assignSocket(request.socket);
    const isWebSocket = request.headers.upgrade?.toLowerCase() === "websocket";
    if (isWebSocket && request.method === "GET") upgrades.set(request, { socket, head });
    // Node reads nothing more from this connection.
    else response.setHeader("connection", "close");
    response.once("finish", () => socket.end());
    app.routing(request, response);
  });
}
