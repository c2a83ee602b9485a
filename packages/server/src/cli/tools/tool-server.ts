import type { McpServer } from "@modelcontextprotocol/server";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import type { Readable, Writable } from "node:stream";
import { CommandFailure, EXIT } from "../exit.ts";
import { createAgentApi, type AgentApi } from "./agent-api.ts";
import { createToolServer } from "./create-tool-server.ts";
import { TOKEN_VARIABLE, URL_VARIABLE } from "./tool-variables.ts";

/** Serves tools to the agent that started this process; the environment names its session. */
export async function serveTools(): Promise<void> {
  const server = await openToolServer(process.env, process);
  await server.closed;
}

export interface ToolServerProcess {
  /** Resolves when the agent has closed the pipe. */
  readonly closed: Promise<void>;
}

/** Serves MCP on the streams until they end, for the session that the environment names. */
export async function openToolServer(
  environment: Readonly<Record<string, string | undefined>>,
  { stdin, stdout }: { readonly stdin: Readable; readonly stdout: Writable },
): Promise<ToolServerProcess> {
  const api = apiFrom(environment);
  const createServer = (): Promise<McpServer> => createToolServer(api);
  const closed = new Promise<void>((resolve) => {
    stdin.once("end", resolve);
    stdin.once("close", resolve);
    stdout.once("error", () => resolve());
  });
  const served = serveStdio(createServer, { transport: new StdioServerTransport(stdin, stdout) });
  return { closed: closed.then(() => served.close()) };
}

function apiFrom(environment: Readonly<Record<string, string | undefined>>): AgentApi {
  const { [URL_VARIABLE]: url, [TOKEN_VARIABLE]: token } = environment;
  if (url !== undefined && token !== undefined) return createAgentApi(url, token);
  throw new CommandFailure(
    `${URL_VARIABLE} is set without ${TOKEN_VARIABLE}: Holdfast sets both for the tools of a session.`,
    EXIT.usage,
  );
}
