/**
 * A model behind the usual API of chat completions. It understands the prompts of the floor's agent (bench-agent.ts) and answers
 * them with the same text, also the time at which it had read the request. It reports its port, and ends with the benchmark.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";

/** Counts of pieces are multiples of it. */
const BATCH = 200;

interface Completion {
  readonly stream?: boolean;
  readonly model?: string;
  readonly messages?: readonly { readonly role: string; readonly content: unknown }[];
}

const server = createServer((request, response) => void serve(request, response));
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address !== null && typeof address === "object") process.send?.(address.port);
});
process.once("disconnect", () => process.exit(0));

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const readAt = process.hrtime.bigint();
  if (request.method === "GET") {
    response.end(JSON.stringify({ object: "list", data: [] }));
    return;
  }
  const body: Completion = JSON.parse(Buffer.concat(chunks).toString());
  response.setHeader("content-type", body.stream ? "text/event-stream" : "application/json");
  if (body.stream !== true) return void response.end(JSON.stringify(wholeReply(body)));
  await answer(response, { body, readAt });
  say(response, body, {}, "stop");
  const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 };
  response.write(`data: ${JSON.stringify({ ...head(body), choices: [], usage })}\n\n`);
  response.end("data: [DONE]\n\n");
}

async function answer(
  response: ServerResponse,
  { body, readAt }: { readonly body: Completion; readonly readAt: bigint },
): Promise<void> {
  // A message that was never answered can stand before the last one, in the same text.
  const [, what, count = "0", everyMs = "0", first = "0"] =
    [...lastPrompt(body).matchAll(/@(one|stamp|flood) ?(\d*) ?(\d*) ?(\d*)/gu)].at(-1) ?? [];
  if (what === "one") {
    return say(response, body, {
      role: "assistant",
      content: `read:${readAt} 0:${process.hrtime.bigint()} `,
    });
  }
  say(response, body, { role: "assistant", content: `read:${readAt} ` });
  if (what === "flood") return flood(response, body, Number(count));
  for (let at = 0; at < Number(count) && !response.destroyed; at += 1) {
    say(response, body, { content: `${Number(first) + at}:${process.hrtime.bigint()} ` });
    if (Number(everyMs) > 0) await pause(Number(everyMs));
  }
}

async function flood(response: ServerResponse, body: Completion, count: number): Promise<void> {
  const line = lineOf(body, { content: "some words ~ " });
  const lines = Buffer.from(line.repeat(BATCH));
  for (let sent = 0; sent < count; sent += BATCH) {
    await new Promise((resolve) => response.write(lines, resolve));
  }
  say(response, body, { content: "all-sent " });
}

/** The text of the last message of the user, also if it consists of parts. */
function lastPrompt({ messages = [] }: Completion): string {
  const content = messages.findLast(({ role }) => role === "user")?.content;
  return typeof content === "string" ? content : JSON.stringify(content ?? "");
}

const head = ({ model }: Completion) => ({
  id: "1",
  object: "chat.completion.chunk",
  created: 1,
  model,
});

function lineOf(body: Completion, delta: object, reason: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: reason }];
  return `data: ${JSON.stringify({ ...head(body), choices })}\n\n`;
}

function say(
  response: ServerResponse,
  body: Completion,
  delta: object,
  reason: string | null = null,
): void {
  response.write(lineOf(body, delta, reason));
}

/** Nobody measures what asks for this, such as titles. */
function wholeReply(body: Completion): object {
  const message = { role: "assistant", content: "A reply" };
  return {
    ...head(body),
    object: "chat.completion",
    choices: [{ index: 0, message, finish_reason: "stop" }],
    usage: { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 },
  };
}
