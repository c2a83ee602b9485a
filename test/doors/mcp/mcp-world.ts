import {
  Client as McpClient,
  StreamableHTTPClientTransport,
  type CallToolResult,
  type ClientCapabilities,
  type ElicitResult,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { createClient, isObject, type Client } from "../../../packages/client/src/index.ts";
import { scriptedCommand } from "../../../packages/server/src/providers/testing/scripted-provider.ts";
import {
  BINARY,
  prepareFolder,
  removeFolder,
  startHoldfast,
  type RunningServer,
} from "../../e2e/holdfast-process.ts";

/** How a client reaches Holdfast: the transport, and the versions of the protocol. */
export const DOORS = ["HTTP 2025", "HTTP 2026", "stdio 2025", "stdio 2026"] as const;
export type Door = (typeof DOORS)[number];

export interface Orchestrator {
  readonly client: McpClient;
  /** Of the process on stdio. */
  readonly pid: number | null;
  /** The progress of all calls. */
  readonly progress: string[];
  call(name: string, args?: Record<string, unknown>): Promise<CallToolResult>;
  /** The data of a result. Throws with its text if it is an error. */
  data(name: string, args?: Record<string, unknown>): Promise<Readonly<Record<string, unknown>>>;
  close(): Promise<void>;
}

export interface OrchestratorOptions {
  readonly token?: string;
  /** Answers questions of the server; without it, the client cannot be asked. */
  readonly onQuestion?: (message: string) => ElicitResult | Promise<ElicitResult>;
}

/** A server with a scripted agent and a repository, and clients of MCP that use it. */
export interface McpWorld {
  readonly server: () => RunningServer;
  readonly client: () => Client;
  readonly root: string;
  open(door: Door, options?: OrchestratorOptions): Promise<Orchestrator>;
  token(scope: "read" | "send" | "approve" | "admin", sessionId?: string): Promise<string>;
  kill(): Promise<void>;
  /** With more variables for the server. */
  start(env?: Readonly<Record<string, string>>): Promise<void>;
  end(): Promise<void>;
}

export async function openMcpWorld(config: object = {}): Promise<McpWorld> {
  const providers = {
    scripted: { type: "acp", command: scriptedCommand },
    second: { type: "acp", command: scriptedCommand },
  };
  const { folder, data, root } = prepareFolder({
    providers,
    defaultProvider: "scripted",
    ...config,
  });
  const start = (env: Readonly<Record<string, string>> = {}) =>
    startHoldfast({ data, env: { AGENT_WORKSPACE_ROOT: root, ...env } });
  let server = await start();
  let client = createClient(server);
  await client.repos.add({ path: root });
  const open = new Set<Orchestrator>();
  const world: McpWorld = {
    server: () => server,
    client: () => client,
    root,
    async open(door, options = {}) {
      const one = await connect(door, server, options);
      open.add(one);
      return one;
    },
    async token(scope, sessionId) {
      const request = { name: scope, scope, ...(sessionId !== undefined && { sessionId }) };
      return (await client.tokens.create(request)).token;
    },
    async kill() {
      await server.end("SIGKILL");
    },
    async start(env) {
      server = await start(env);
      client = createClient(server);
    },
    async end() {
      for (const one of open) await one.close();
      await server.end("SIGTERM");
      removeFolder(folder);
    },
  };
  return world;
}

async function connect(
  door: Door,
  { url, token, data }: RunningServer,
  options: OrchestratorOptions,
): Promise<Orchestrator> {
  const { onQuestion } = options;
  const capabilities: ClientCapabilities =
    onQuestion === undefined ? {} : { elicitation: { form: {} } };
  const isModern = door.endsWith("2026");
  const client = new McpClient(
    { name: "test", version: "1" },
    { capabilities, ...(isModern && { versionNegotiation: { mode: "auto" } }) },
  );
  if (onQuestion !== undefined)
    client.setRequestHandler("elicitation/create", ({ params }) => onQuestion(params.message));
  const stdio = door.startsWith("stdio")
    ? new StdioClientTransport({
        command: process.execPath,
        args: [BINARY, "mcp", "--data", data],
        stderr: "ignore",
        ...(options.token !== undefined && { env: { HOLDFAST_TOKEN: options.token } }),
      })
    : null;
  const authorization = `Bearer ${options.token ?? token}`;
  await client.connect(
    stdio ??
      new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
        requestInit: { headers: { authorization } },
      }),
  );
  const progress: string[] = [];
  const one: Orchestrator = {
    client,
    pid: stdio?.pid ?? null,
    progress,
    call: (name, args = {}) =>
      client.callTool(
        { name, arguments: args },
        {
          timeout: LONG_MS,
          resetTimeoutOnProgress: true,
          onprogress: ({ message = "" }) => void progress.push(message),
        },
      ),
    async data(name, args) {
      const result = await one.call(name, args);
      const { structuredContent: data, isError } = result;
      if (isError === true || !isObject(data)) throw new Error(textIn(result));
      return data;
    },
    close: () => client.close(),
  };
  return one;
}

/** Nothing in these tests takes that long. */
const LONG_MS = 120_000;

export function textIn({ content }: CallToolResult): string {
  return content.map((block) => (block.type === "text" ? block.text : `(${block.type})`)).join("");
}
