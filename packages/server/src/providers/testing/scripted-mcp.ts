import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** The format of `session/new`. */
export interface McpServerGiven {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
}

interface ToolResult {
  readonly isError?: boolean;
  readonly content: readonly { readonly type: string; readonly text?: string }[];
}

/** Starts the server like an agent, calls one tool, and stops it. Returns the result as text. */
export async function callTool(
  { command, args, env }: McpServerGiven,
  { tool, args: given }: { readonly tool: string; readonly args: unknown },
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
    await request(1, "initialize", {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "scripted", version: "1.0.0" },
    });
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
