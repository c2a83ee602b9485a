import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** The format of `session/new`. */
export type McpServerGiven = McpProgramGiven | McpAddressGiven;

interface McpAddressGiven {
  readonly type: "http" | "sse";
  readonly name: string;
  readonly url: string;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
}

interface McpProgramGiven {
  readonly type?: "stdio";
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
}

interface ToolResult {
  readonly isError?: boolean;
  readonly content: readonly { readonly type: string; readonly text?: string }[];
}

interface ToolCall {
  readonly tool: string;
  readonly args: unknown;
}

/** Calls one tool like an agent. Returns the result as text. */
export function callTool(server: McpServerGiven, call: ToolCall): Promise<string> {
  return "url" in server ? callByHttp(server, call) : callProgram(server, call);
}

async function callByHttp(
  { url, headers: given }: McpAddressGiven,
  { tool, args }: ToolCall,
): Promise<string> {
  const headers = new Headers({
    ...Object.fromEntries(given.map(({ name, value }) => [name, value])),
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  });
  const send = async (message: object): Promise<unknown> => {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    const response = await fetch(url, { method: "POST", headers, body });
    const connection = response.headers.get("mcp-session-id");
    if (connection !== null) headers.set("mcp-session-id", connection);
    return "id" in message ? resultIn(await response.text()) : null;
  };
  try {
    await send({ id: 1, method: "initialize", params: INITIALIZE });
    await send({ method: "notifications/initialized" });
    const params = { name: tool, arguments: args };
    return inWords((await send({ id: 2, method: "tools/call", params })) as ToolResult);
  } catch (error) {
    return `mcp failed: ${String(error)}`;
  } finally {
    if (headers.has("mcp-session-id")) await fetch(url, { method: "DELETE", headers });
  }
}

/** Of a reply as JSON, or as a stream whose last message it is. */
function resultIn(text: string): unknown {
  const data = text
    .split("\n")
    .filter((line) => line.startsWith("data: {"))
    .at(-1)
    ?.slice("data: ".length);
  const { result, error } = JSON.parse(data ?? text) as { result?: unknown; error?: unknown };
  if (result === undefined) throw new Error(JSON.stringify(error));
  return result;
}

const INITIALIZE = {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "scripted", version: "1.0.0" },
};

/** Starts the server like an agent, and stops it after the call. */
async function callProgram(
  { command, args, env }: McpProgramGiven,
  { tool, args: given }: ToolCall,
): Promise<string> {
  const server = spawn(command, [...args], {
    stdio: ["pipe", "pipe", "inherit"],
    // An agent need not pass on its own environment.
    env: {
      PATH: process.env["PATH"],
      ...Object.fromEntries(env.map(({ name, value }) => [name, value])),
    },
  });
  const exited = new Promise<void>((resolve) => server.once("exit", () => resolve()));
  const waiting = new Map<number, (message: { result?: unknown; error?: unknown }) => void>();
  createInterface({ input: server.stdout }).on("line", (line) => {
    const message = JSON.parse(line) as { id: number; result?: unknown; error?: unknown };
    waiting.get(message.id)?.(message);
  });
  const send = (message: object): void => {
    server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  };
  const request = async (id: number, method: string, params: object): Promise<unknown> => {
    const answer = new Promise<{ result?: unknown; error?: unknown }>((resolve) => {
      waiting.set(id, resolve);
      void exited.then(() => resolve({ error: "the server has ended" }));
    });
    send({ id, method, params });
    const { result, error } = await answer;
    if (error !== undefined) throw new Error(JSON.stringify(error));
    return result;
  };
  try {
    await request(1, "initialize", INITIALIZE);
    send({ method: "notifications/initialized" });
    const result = await request(2, "tools/call", { name: tool, arguments: given });
    return inWords(result as ToolResult);
  } catch (error) {
    return `mcp failed: ${String(error)}`;
  } finally {
    server.stdin.end();
    await exited;
  }
}

function inWords({ isError = false, content }: ToolResult): string {
  const text = content.map((part) => part.text ?? `(${part.type})`).join("\n");
  return `${isError ? "mcp error" : "mcp"}: ${text}`;
}
