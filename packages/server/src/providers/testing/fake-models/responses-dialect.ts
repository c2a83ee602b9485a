import {
  fieldOf,
  listIn,
  textOf,
  wordIn,
  type ModelRequest,
  type OfferedTool,
  type Turn,
} from "./model-request.ts";
import {
  typed,
  type Dialect,
  type FakeUsage,
  type NamedCall,
  type Stream,
  type Telling,
} from "./dialect.ts";

export const responsesDialect: Dialect = {
  name: "responses",
  isAsked: (path) => path.endsWith("/responses"),
  parse: (body): ModelRequest => ({
    model: wordIn(body, "model"),
    said: inputIn(body).flatMap(turnsIn),
    tools: listIn(body, "tools").flatMap((tool) => {
      const space = wordIn(tool, "type") === "namespace" ? wordIn(tool, "name") : null;
      return space === null
        ? [toTool(tool, "")]
        : listIn(tool, "tools").map((inner) => toTool(inner, `${space}/`));
    }),
    isStreamed: fieldOf(body, "stream") === true,
  }),
  tell,
  whole,
  failure: (status, message) => ({ error: { message, type: "fake_error", code: String(status) } }),
};

/** The name of a tool in a namespace is `namespace/name`. */
function toTool(tool: unknown, prefix: string): OfferedTool {
  return {
    name: `${prefix}${wordIn(tool, "name")}`,
    inputSchema: fieldOf(tool, "parameters"),
  };
}

function inputIn(body: unknown): readonly unknown[] {
  const input = fieldOf(body, "input");
  return typeof input === "string" ? [{ role: "user", content: input }] : listIn(body, "input");
}

function turnsIn(item: unknown): readonly Turn[] {
  if (wordIn(item, "type").endsWith("_output")) {
    const output = fieldOf(item, "output");
    return [{ by: "tool", text: textOf(output) }];
  }
  const text = textOf(fieldOf(item, "content"));
  switch (wordIn(item, "role")) {
    case "user":
      return [{ by: "user", text }];
    case "assistant":
      return [{ by: "model", text }];
    default:
      return [];
  }
}

function tell({ id, model, speech, calls, usage }: Telling): Stream {
  const response = { id: `resp_${id}`, object: "response", created_at: 0, model };
  const textAt = speech.thought === "" ? 0 : 1;
  const textId = `msg_${id}`;
  const text = speech.pieces.join("");
  const place = { item_id: textId, output_index: textAt, content_index: 0 };
  const part = { type: "output_text", text, annotations: [] };
  const said = { type: "message", id: textId, role: "assistant", content: [part] };
  const isWhole = speech.stop === "end" || speech.stop === "tool";
  return {
    opening: [
      typed({ type: "response.created", response: { ...response, status: "in_progress" } }),
      ...(speech.thought === "" ? [] : thoughtItem(`rs_${id}`, speech.thought)),
      typed({
        type: "response.output_item.added",
        output_index: textAt,
        item: { ...said, status: "in_progress", content: [] },
      }),
      typed({ type: "response.content_part.added", ...place, part: { ...part, text: "" } }),
    ],
    piece: (delta) => typed({ type: "response.output_text.delta", ...place, delta }),
    closing: [
      typed({ type: "response.output_text.done", ...place, text }),
      typed({ type: "response.content_part.done", ...place, part }),
      typed({
        type: "response.output_item.done",
        output_index: textAt,
        item: { ...said, status: "completed" },
      }),
      ...calls.flatMap((call, index) => callItem(call, textAt + 1 + index)),
      typed({
        type: isWhole ? "response.completed" : "response.incomplete",
        response: {
          ...response,
          status: isWhole ? "completed" : "incomplete",
          output: [said, ...calls.map(finished)],
          incomplete_details: isWhole
            ? null
            : { reason: speech.stop === "length" ? "max_output_tokens" : "content_filter" },
          usage: toUsage(usage),
        },
      }),
    ],
  };
}

function whole({ id, model, speech, calls, usage }: Telling): unknown {
  const part = { type: "output_text", text: speech.pieces.join(""), annotations: [] };
  const said = { type: "message", id: `msg_${id}`, role: "assistant", content: [part] };
  return {
    id: `resp_${id}`,
    object: "response",
    created_at: 0,
    model,
    status: "completed",
    output: [{ ...said, status: "completed" }, ...calls.map(finished)],
    usage: toUsage(usage),
  };
}

function toUsage({ input, output }: FakeUsage): object {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  };
}

function thoughtItem(id: string, thought: string): readonly string[] {
  const place = { item_id: id, output_index: 0, summary_index: 0 };
  const part = { type: "summary_text", text: thought };
  return [
    typed({
      type: "response.output_item.added",
      output_index: 0,
      item: { type: "reasoning", id, summary: [] },
    }),
    typed({
      type: "response.reasoning_summary_part.added",
      ...place,
      part: { ...part, text: "" },
    }),
    typed({ type: "response.reasoning_summary_text.delta", ...place, delta: thought }),
    typed({ type: "response.reasoning_summary_text.done", ...place, text: thought }),
    typed({ type: "response.reasoning_summary_part.done", ...place, part }),
    typed({
      type: "response.output_item.done",
      output_index: 0,
      item: { type: "reasoning", id, summary: [part] },
    }),
  ];
}

function callItem(call: NamedCall, at: number): readonly string[] {
  const item = finished(call);
  const place = { item_id: item.id, output_index: at };
  return [
    typed({
      type: "response.output_item.added",
      output_index: at,
      item: { ...item, arguments: "", status: "in_progress" },
    }),
    typed({ type: "response.function_call_arguments.delta", ...place, delta: item.arguments }),
    typed({
      type: "response.function_call_arguments.done",
      ...place,
      arguments: item.arguments,
    }),
    typed({ type: "response.output_item.done", output_index: at, item }),
  ];
}

function finished({ id, name, args }: NamedCall): {
  readonly type: string;
  readonly id: string;
  readonly call_id: string;
  readonly namespace?: string;
  readonly name: string;
  readonly arguments: string;
  readonly status: string;
} {
  const [last = name, namespace] = name.split("/").toReversed();
  return {
    type: "function_call",
    id: `fc_${id}`,
    call_id: id,
    ...(namespace !== undefined && { namespace }),
    name: last,
    arguments: JSON.stringify(args),
    status: "completed",
  };
}
