import { finished } from "node:stream/promises";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { v7 as newKey } from "uuid";
import { createCaller } from "../../doors/mcp/caller.ts";
import { holdfastSurface } from "../../doors/mcp/holdfast-surface.ts";
import { noteListening } from "../../doors/mcp/listening.ts";
import { createMcpServer } from "../../doors/mcp/mcp-server.ts";
import { ORCHESTRATOR } from "../../http/guard/caller.ts";
import type { CommonFlags } from "../gateway/find-server.ts";
import { VERSION } from "../version.ts";
import { log, openStdioApi } from "./stdio-api.ts";

/**
 * Speaks the Model Context Protocol on stdin and stdout until the client closes them. What the client began goes on in the
 * server.
 */
export async function serveOrchestrator(flags: CommonFlags): Promise<void> {
  const { client, prepare, failed } = openStdioApi(flags, ORCHESTRATOR);
  const caller = createCaller(client, newKey);
  const { transport, listens } = noteListening(new StdioServerTransport());
  const served = serveStdio(
    ({ era }) => {
      setImmediate(prepare);
      return createMcpServer({
        caller,
        surface: holdfastSurface,
        version: VERSION,
        watches: era === "modern" ? { onceItListens: listens } : "subscribed",
        log,
      });
    },
    { transport, onerror: (error) => log("a message", error) },
  );
  try {
    await Promise.race([finished(process.stdin, { writable: false }), failed]);
  } finally {
    await served.close();
  }
}
