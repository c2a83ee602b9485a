import { fieldOf, listIn, textOf, wordIn, type ModelRequest, type Turn } from "./model-request.ts";
import {
  event,
  type Dialect,
  type FakeUsage,
  type NamedCall,
  type Stream,
  type Telling,
} from "./dialect.ts";

export const chatDialect: Dialect = {
  name: "chat",
  isAsked: (path) => path.endsWith("/chat/completions"),
  parse: (body): ModelRequest => ({
    model: wordIn(body, "model"),
    said: listIn(body, "messages").flatMap(turnsIn),
    tools: listIn(body, "tools").map((tool) => ({
      name: wordIn(fieldOf(tool, "function"), "name"),
      inputSchema: fieldOf(fieldOf(tool, "function"), "parameters"),
    })),
    isStreamed: fieldOf(body, "stream") === true,
  }),
  tell,
  whole,
  failure: (status, message) => ({ error: { message, type: "fake_error", code: String(status) } }),
};

const VOICES = new Map<string, Turn["by"]>([
  ["user", "user"],
  ["assistant", "model"],
  ["tool", "tool"],
]);

function turnsIn(message: unknown): readonly Turn[] {
  const by = VOICES.get(wordIn(message, "role"));
  const text = textOf(fieldOf(message, "content"));
  return by === undefined || text === "" ? [] : [{ by, text }];
}

function tell({ id, model, speech, calls, usage }: Telling): Stream {
  const chunk = (more: object): string =>
    event({ id: `chatcmpl-${id}`, object: "chat.completion.chunk", created: 0, model, ...more });
  const choice = (delta: object, reason: string | null = null): string =>
    chunk({ choices: [{ index: 0, delta, finish_reason: reason }] });
  return {
    opening: [
      choice({ role: "assistant", content: "" }),
      ...(speech.thought === "" ? [] : [choice({ reasoning_content: speech.thought })]),
    ],
    piece: (content) => choice({ content }),
    closing: [
      ...calls.map((call, index) =>
        choice({
          tool_calls: [{ index, ...toCall(call) }],
        }),
      ),
      choice({}, STOPS[speech.stop]),
      chunk({
        choices: [],
        usage: toUsage(usage),
      }),
      "data: [DONE]\n\n",
    ],
  };
}

function whole({ id, model, speech, calls, usage }: Telling): unknown {
  const message = {
    role: "assistant",
    content: speech.pieces.join(""),
    ...(calls.length > 0 && { tool_calls: calls.map(toCall) }),
  };
  return {
    id: `chatcmpl-${id}`,
    object: "chat.completion",
    created: 0,
    model,
    choices: [{ index: 0, message, finish_reason: STOPS[speech.stop] }],
    usage: toUsage(usage),
  };
}

function toCall({ id, name, args }: NamedCall): object {
  return { id, type: "function", function: { name, arguments: JSON.stringify(args) } };
}

function toUsage({ input, output }: FakeUsage): object {
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
}

const STOPS = { end: "stop", length: "length", refusal: "content_filter", tool: "tool_calls" };
