/**
 * An agent over stdio without state, so that it does not change for hours. It streams numbered pieces of text, each
 * with the time of writing, or answers in one piece.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { parseWork, stampOf } from "./soak-work.ts";

interface Incoming {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: {
    readonly sessionId?: string;
    readonly prompt?: readonly { readonly text?: string }[];
  };
}

let buffered = "";
let activePrompt: AbortController | null = null;

process.stdout.on("error", () => process.exit(0));
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk: string) => {
  const lines = (buffered + chunk).split("\n");
  buffered = lines.pop() ?? "";
  for (const line of lines) handle(JSON.parse(line));
});
process.stdin.on("end", () => process.exit(0));

function handle({ id, method, params = {} }: Incoming): void {
  if (method === "initialize") {
    write({ id, result: { protocolVersion: 1, authMethods: [], agentCapabilities: {} } });
  } else if (method === "session/new") {
    write({ id, result: { sessionId: randomUUID() } });
  } else if (method === "session/prompt") {
    void prompt(id, params);
  } else if (method === "session/cancel") {
    activePrompt?.abort();
  } else if (id !== undefined && method !== undefined) {
    write({ id, error: { code: -32601, message: `unknown method: ${method}` } });
  }
}

async function prompt(id: unknown, { sessionId, prompt: blocks }: NonNullable<Incoming["params"]>) {
  const { tag, count, everyMs } = parseWork(blocks?.at(-1)?.text ?? "");
  const sendText = (text: string): void => {
    const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text } };
    write({ method: "session/update", params: { sessionId, update } });
  };
  activePrompt = new AbortController();
  const { signal } = activePrompt;
  const wait = (ms: number) => pause(Math.max(0, ms), undefined, { signal }).catch(() => {});
  if (count === 0) {
    await wait(everyMs);
    sendText(`re ${tag}`);
  }
  const startedMs = performance.now();
  for (let sent = 0; sent < count && !signal.aborted; sent += 1) {
    sendText(stampOf(sent));
    // Scheduled by the clock, so that delays do not add up.
    await wait(startedMs + (sent + 1) * everyMs - performance.now());
  }
  activePrompt = null;
  write({ id, result: { stopReason: signal.aborted ? "cancelled" : "end_turn" } });
}

function write(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}
