import { fieldOf, listIn, textOf, wordIn, type ModelRequest, type Turn } from "./model-request.ts";
import { typed, type Dialect, type NamedCall, type Stream, type Telling } from "./dialect.ts";

export const anthropicDialect: Dialect = {
  name: "anthropic",
  isAsked: (path) => path.endsWith("/messages"),
  parse: (body): ModelRequest => ({
    model: wordIn(body, "model"),
    said: listIn(body, "messages").flatMap(turnsIn),
    tools: listIn(body, "tools").map((tool) => ({
      name: wordIn(tool, "name"),
      inputSchema: fieldOf(tool, "input_schema"),
    })),
    isStreamed: fieldOf(body, "stream") === true,
  }),
  tell,
  whole,
  failure: (status, message) => ({ type: "error", error: { type: kindOf(status), message } }),
};

function turnsIn(message: unknown): readonly Turn[] {
  const by = wordIn(message, "role") === "user" ? "user" : "model";
  const content = fieldOf(message, "content");
  if (!Array.isArray(content)) return [{ by, text: textOf(content) }];
  return content.flatMap((part: unknown): readonly Turn[] => {
    switch (wordIn(part, "type")) {
      case "text":
        return [{ by, text: wordIn(part, "text") }];
      case "tool_result":
        return [{ by: "tool", text: textOf(fieldOf(part, "content")) }];
      default:
        return [];
    }
  });
}

function tell({ id, model, speech, calls, usage }: Telling): Stream {
  const hasThought = speech.thought !== "";
  const textAt = hasThought ? 1 : 0;
  return {
    opening: [
      typed({
        type: "message_start",
        message: {
          id: `msg_${id}`,
          type: "message",
          role: "assistant",
          model,
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { input_tokens: usage.input, output_tokens: 0 },
        },
      }),
      ...(hasThought ? thoughtBlock(speech.thought) : []),
      started(textAt, { type: "text", text: "" }),
    ],
    piece: (text) => grown(textAt, { type: "text_delta", text }),
    closing: [
      typed({ type: "content_block_stop", index: textAt }),
      ...calls.flatMap((call, index) => callBlock(call, textAt + 1 + index)),
      typed({
        type: "message_delta",
        delta: { stop_reason: STOPS[speech.stop], stop_sequence: null },
        usage: { output_tokens: usage.output },
      }),
      typed({ type: "message_stop" }),
    ],
  };
}

function whole({ id, model, speech, calls, usage }: Telling): unknown {
  return {
    id: `msg_${id}`,
    type: "message",
    role: "assistant",
    model,
    content: [
      { type: "text", text: speech.pieces.join("") },
      ...calls.map((call) => ({
        type: "tool_use",
        id: call.id,
        name: call.name,
        input: call.args,
      })),
    ],
    stop_reason: STOPS[speech.stop],
    stop_sequence: null,
    usage: { input_tokens: usage.input, output_tokens: usage.output },
  };
}

function thoughtBlock(thinking: string): readonly string[] {
  return [
    started(0, { type: "thinking", thinking: "", signature: "" }),
    grown(0, { type: "thinking_delta", thinking }),
    grown(0, { type: "signature_delta", signature: "c2lnbmVk" }),
    typed({ type: "content_block_stop", index: 0 }),
  ];
}

function callBlock({ id, name, args }: NamedCall, index: number): readonly string[] {
  return [
    started(index, { type: "tool_use", id, name, input: {} }),
    grown(index, { type: "input_json_delta", partial_json: JSON.stringify(args) }),
    typed({ type: "content_block_stop", index }),
  ];
}

function started(index: number, block: object): string {
  return typed({ type: "content_block_start", index, content_block: block });
}

function grown(index: number, delta: object): string {
  return typed({ type: "content_block_delta", index, delta });
}

const STOPS = { end: "end_turn", length: "max_tokens", refusal: "refusal", tool: "tool_use" };

function kindOf(status: number): string {
  if (status === 401) return "authentication_error";
  if (status === 429) return "rate_limit_error";
  return status < 500 ? "invalid_request_error" : "api_error";
}
