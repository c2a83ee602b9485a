import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { FastifyReply, FastifyRequest } from "fastify";
import { cleanJson } from "../../domain/clean-text.ts";
import type { App } from "../app.ts";
import { readProblems, writeProblems } from "../problems/problem-responses.ts";
import { originOf } from "../guard/served-origin.ts";
import { MCP_URL, mcpMetadata, METADATA_URLS, resourceMetadataSchema } from "./mcp-metadata.ts";
import { doorCallerOf } from "./door-caller-of.ts";
import type { McpDoor } from "./mcp-door.ts";
import { passHeaders } from "./pass-headers.ts";

const TAGS = ["orchestrators"];
const PARSE_ERROR = { code: -32_700, message: "The body is not JSON, or nested too deeply." };

/** What a client that has no token needs to know. It contains no data. */
function addMetadata(app: App): void {
  for (const url of METADATA_URLS) {
    app.route({
      method: "GET",
      url,
      config: { isPublic: true },
      schema: {
        tags: TAGS,
        operationId: url === METADATA_URLS[0] ? "resourceMetadata" : "mcpResourceMetadata",
        summary: "Read which tokens /mcp accepts (RFC 9728)",
        response: { 200: () => resourceMetadataSchema, ...readProblems() },
      },
      handler: async (request, reply) => reply.code(200).send(mcpMetadata(originOf(request))),
    });
  }
}

/** `/mcp`: the Model Context Protocol over streamable HTTP. */
export async function addMcpRoutes(app: App, door: McpDoor): Promise<void> {
  app.addHook("preClose", () => door.close());
  addMetadata(app);
  await app.register(async (scope: App) => {
    // The protocol has its own error for a body that is not JSON.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("application/json", { parseAs: "string" }, (_request, body, done) =>
      done(null, String(body)),
    );
    const handle = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      const body = typeof request.body === "string" ? parse(request.body) : { ok: true as const };
      const gone = new AbortController();
      reply.raw.once("close", () => gone.abort());
      const response = body.ok
        ? await door.handle(toRequest(request, gone.signal), body.value, doorCallerOf(request))
        : Response.json({ jsonrpc: "2.0", error: PARSE_ERROR, id: null }, { status: 400 });
      await sendResponse(reply, response);
    };
    scope.route({
      method: "POST",
      url: MCP_URL,
      schema: {
        tags: TAGS,
        operationId: "mcpSend",
        summary: "Send a message of the Model Context Protocol (streamable HTTP)",
        description: "The bodies and replies are those of the protocol.",
        response: writeProblems(),
      },
      handler: handle,
    });
    scope.route({
      method: "GET",
      url: MCP_URL,
      schema: {
        tags: TAGS,
        operationId: "mcpStream",
        summary: "Receive messages of the Model Context Protocol (versions before 2026)",
        response: readProblems(),
      },
      handler: handle,
    });
    scope.route({
      method: "DELETE",
      url: MCP_URL,
      schema: {
        tags: TAGS,
        operationId: "mcpClose",
        summary: "Close a connection of the Model Context Protocol (versions before 2026)",
        response: writeProblems(),
      },
      handler: handle,
    });
  });
}

type Parsed = { readonly ok: true; readonly value?: unknown } | { readonly ok: false };

function parse(text: string): Parsed {
  try {
    return cleanJson(JSON.parse(text));
  } catch {
    return { ok: false };
  }
}

function toRequest({ method, headers, url }: FastifyRequest, signal: AbortSignal): Request {
  const given = new Headers();
  for (const [name, value] of Object.entries(headers))
    if (typeof value === "string") given.set(name, value);
  return new Request(new URL(url, "http://localhost"), { method, headers: given, signal });
}

const MAX_LISTENERS = 30;

/** Sends a stream as it comes. Compression and the like would hold it back. */
async function sendResponse(reply: FastifyReply, response: Response): Promise<void> {
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  reply.code(response.status).headers(Object.fromEntries(response.headers));
  if (!isStream || response.body === null) return void (await reply.send(await response.text()));
  passHeaders(reply.hijack());
  reply.raw.writeHead(response.status);
  reply.raw.flushHeaders();
  // The framework's listeners and those of the pipeline together are more than Node warns about.
  reply.raw.setMaxListeners(MAX_LISTENERS);
  // A client that goes ends the stream.
  await pipeline(Readable.from(response.body), reply.raw).catch(() => {});
}
