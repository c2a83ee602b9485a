/**
 * An agent that floods. It speaks ACP over stdio. The prompt `@flood KIND` writes as fast as the pipe accepts, until the
 * agent is stopped; it does not heed a cancel. Every other prompt is a short turn: a thought, a tool call and an answer.
 */
import { once } from "node:events";

const LINES_PER_WRITE = 200;
const LARGE_BYTES = 8 * 1024 * 1024 - 64 * 1024;

type Update = Readonly<Record<string, unknown>>;

let rest = "";
process.stdin.setEncoding("utf8").on("data", (text: string) => {
  const lines = (rest + text).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) take(JSON.parse(line));
});
process.stdin.on("end", () => process.exit(0));
process.stdout.on("error", () => process.exit(0));

interface Request {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: { readonly prompt: readonly { readonly text: string }[] };
}

function take({ id, method, params }: Request): void {
  if (method === "initialize") return answer(id, { protocolVersion: 1, agentCapabilities: {} });
  if (method === "session/new") return answer(id, { sessionId: "1" });
  if (method !== "session/prompt" || params === undefined) return;
  const [, kind] = /@flood (\w+)/u.exec(params.prompt.at(-1)?.text ?? "") ?? [];
  if (kind !== undefined) return void flood(kind);
  process.stdout.write(
    [
      lineOf(chunk("thought", "First I look.")),
      lineOf({ sessionUpdate: "tool_call", toolCallId: "1", title: "Look", kind: "read" }),
      lineOf({ sessionUpdate: "tool_call_update", toolCallId: "1", status: "completed" }),
      lineOf(chunk("message", "Some words ")),
      lineOf(chunk("message", "as an answer.")),
    ].join(""),
  );
  answer(id, { stopReason: "end_turn" });
}

async function flood(kind: string): Promise<void> {
  const output = kind === "stderr" ? process.stderr : process.stdout;
  for (let round = 0; ; round += 1) {
    if (!output.write(batchOf(kind, round))) await once(output, "drain");
    // Reads the answers to its questions.
    await new Promise(setImmediate);
  }
}

let large: Buffer | null = null;

function batchOf(kind: string, round: number): Buffer | string {
  const many = (line: (number: number) => string): string =>
    Array.from({ length: LINES_PER_WRITE }, (_, index) =>
      line(round * LINES_PER_WRITE + index),
    ).join("");
  switch (kind) {
    case "calls":
      return many((number) =>
        [
          lineOf({
            sessionUpdate: "tool_call",
            toolCallId: `c${number}`,
            title: "Flood",
            kind: "read",
          }),
          lineOf({
            sessionUpdate: "tool_call_update",
            toolCallId: `c${number}`,
            status: "completed",
          }),
        ].join(""),
      );
    case "voices":
      return many((number) => lineOf(chunk(number % 2 === 0 ? "thought" : "message", "flood ")));
    case "text":
      return many(() => lineOf(chunk("message", "some words of a flood ")));
    case "lines":
      large ??= Buffer.from(lineOf(chunk("message", "x".repeat(LARGE_BYTES))));
      return large;
    case "outputs":
      large ??= Buffer.from(
        lineOf({
          sessionUpdate: "tool_call_update",
          toolCallId: "large",
          content: [
            { type: "content", content: { type: "text", text: 'a "b" '.repeat(LARGE_BYTES / 8) } },
          ],
        }),
      );
      return large;
    case "stderr":
      return many((number) => `a warning that nobody reads, number ${number}\n`);
    case "questions":
      return many(
        (number) =>
          `${JSON.stringify({ jsonrpc: "2.0", id: `q${number}`, method: "session/request_permission", params: question(number) })}\n`,
      );
    default:
      throw new Error(`unknown flood: ${kind}`);
  }
}

function question(number: number): object {
  return {
    sessionId: "1",
    toolCall: { toolCallId: `q${number}`, title: `Question ${number}`, kind: "execute" },
    options: [{ optionId: "yes", name: "Yes", kind: "allow_once" }],
  };
}

function chunk(voice: "thought" | "message", text: string): Update {
  return { sessionUpdate: `agent_${voice}_chunk`, content: { type: "text", text } };
}

function lineOf(update: Update): string {
  return `${JSON.stringify({ jsonrpc: "2.0", method: "session/update", params: { sessionId: "1", update } })}\n`;
}

function answer(id: unknown, result: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
}
