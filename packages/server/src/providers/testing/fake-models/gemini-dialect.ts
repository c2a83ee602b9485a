import { fieldOf, listIn, wordIn, type ModelRequest, type Turn } from "./model-request.ts";
import { event, type Dialect, type NamedCall, type Stream, type Telling } from "./dialect.ts";

export const geminiDialect: Dialect = {
  name: "gemini",
  isAsked: (path) => /:(streamGenerateContent|generateContent)$/u.test(path),
  parse: (body, path): ModelRequest => ({
    model: /\/models\/([^:/]+):/u.exec(path)?.[1] ?? "",
    said: listIn(body, "contents").flatMap(turnsIn),
    tools: listIn(body, "tools")
      .flatMap((tool) => listIn(tool, "functionDeclarations"))
      .map((tool) => ({
        name: wordIn(tool, "name"),
        inputSchema: fieldOf(tool, "parametersJsonSchema") ?? fieldOf(tool, "parameters"),
      })),
    isStreamed: path.endsWith(":streamGenerateContent"),
  }),
  tell,
  whole,
  failure: (code, message) => ({ error: { code, message, status: "FAKE_ERROR" } }),
};

function turnsIn(content: unknown): readonly Turn[] {
  const by = wordIn(content, "role") === "model" ? "model" : "user";
  return listIn(content, "parts").flatMap((part): readonly Turn[] => {
    const text = fieldOf(part, "text");
    if (typeof text === "string") return [{ by, text }];
    const result = fieldOf(part, "functionResponse");
    if (result === undefined) return [];
    const response = fieldOf(result, "response");
    const told = fieldOf(response, "content") ?? fieldOf(response, "output");
    return [{ by: "tool", text: typeof told === "string" ? told : JSON.stringify(response) }];
  });
}

function tell(answer: Telling): Stream {
  const { speech, calls } = answer;
  const parts = (list: readonly object[], more: object = {}): string =>
    event(candidate(answer, list, more));
  return {
    opening: speech.thought === "" ? [] : [parts([{ text: speech.thought, thought: true }])],
    piece: (text) => parts([{ text }]),
    closing: [parts(calls.map(toPart), { finishReason: STOPS[speech.stop] })],
  };
}

function whole(answer: Telling): unknown {
  const { speech, calls } = answer;
  const list = [{ text: speech.pieces.join("") }, ...calls.map(toPart)];
  return candidate(answer, list, { finishReason: STOPS[speech.stop] });
}

function candidate({ id, model, usage }: Telling, parts: readonly object[], more: object): object {
  return {
    candidates: [{ content: { role: "model", parts }, index: 0, ...more }],
    modelVersion: model,
    responseId: id,
    usageMetadata: {
      promptTokenCount: usage.input,
      candidatesTokenCount: usage.output,
      totalTokenCount: usage.input + usage.output,
    },
  };
}

function toPart({ name, args }: NamedCall): object {
  return { functionCall: { name, args } };
}

const STOPS = { end: "STOP", length: "MAX_TOKENS", refusal: "SAFETY", tool: "STOP" };
