import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { text } from "node:stream/consumers";
import { z } from "zod";
import { createCaller } from "../../../packages/server/src/doors/mcp/caller.ts";
import { createMcpEndpoint } from "../../../packages/server/src/doors/mcp/mcp-endpoint.ts";
import { prepareFixture } from "./fixture-capabilities.ts";
import { fixtureSurface } from "./fixture-surface.ts";
import { openFixtureWork } from "./fixture-work.ts";

export interface FixtureServer {
  readonly url: string;
  end(): Promise<void>;
}

/** The door of Holdfast with the tools, resources and prompts that the suite calls by name. */
export async function openFixtureServer(): Promise<FixtureServer> {
  const work = await openFixtureWork();
  const caller = createCaller(work.client, () => crypto.randomUUID());
  const endpoint = createMcpEndpoint({
    surface: fixtureSurface(work),
    version: "1.0.0",
    log: () => {},
    prepare: prepareFixture,
  });
  const http = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      process.stderr.write(`the fixture of the conformance suite: ${String(error)}\n`);
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const { port } = z.object({ port: z.number() }).parse(http.address());
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!isFromHere(request, hosts)) return void response.writeHead(403).end();
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    const body = await text(request);
    const given = new Headers();
    for (const [name, value] of Object.entries(request.headers))
      if (typeof value === "string") given.set(name, value);
    const { method = "GET", url = "/" } = request;
    const asked = new Request(new URL(url, "http://localhost"), {
      method,
      headers: given,
      signal: gone.signal,
    });
    const parsed: unknown = body === "" ? undefined : JSON.parse(body);
    const reply = await endpoint.handle(asked, parsed, { key: "fixture", caller });
    response.writeHead(reply.status, Object.fromEntries(reply.headers));
    response.flushHeaders();
    if (reply.body === null) return void response.end();
    // A client that goes ends the stream.
    await pipeline(reply.body, response).catch(() => {});
  }

  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async end() {
      await endpoint.close();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
      await work.end();
    },
  };
}

/** A page of another site that reaches this machine under a name of its own is refused. */
function isFromHere({ headers }: IncomingMessage, hosts: readonly string[]): boolean {
  const { host = "", origin } = headers;
  const from = origin === undefined ? host : URL.parse(origin)?.host;
  return hosts.includes(host) && from !== undefined && hosts.includes(from);
}
