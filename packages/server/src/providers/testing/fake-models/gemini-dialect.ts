import { fieldOf, listIn, wordIn, type Asked, type Said } from "./asked.ts";
import { event, type Dialect, type Stream, type Telling } from "./dialect.ts";

export const geminiDialect: Dialect = {
  name: "gemini",
  isAsked: (path) => /:(streamGenerateContent|generateContent)$/u.test(path),
  parse: (body, path): Asked => ({
    model: /\/models\/([^:/]+):/u.exec(path)?.[1] ?? "",
    said: listIn(body, "contents").flatMap(saidIn),
    tools: listIn(body, "tools")
      .flatMap((tool) => listIn(tool, "functionDeclarations"))
      .map((tool) => ({
        name: wordIn(tool, "name"),
        inputSchema: fieldOf(tool, "parametersJsonSchema") ?? fieldOf(tool, "parameters"),
      })),
    isStreamed: path.endsWith(":streamGenerateContent"),
  }),
  tell,
  failure: (code, message) => ({ error: { code, message, status: "FAKE_ERROR" } }),
};

function saidIn(content: unknown): readonly Said[] {
  const by = wordIn(content, "role") === "model" ? "model" : "user";
  return listIn(content, "parts").flatMap((part): readonly Said[] => {
    const text = fieldOf(part, "text");
    if (typeof text === "string") return [{ by, text }];
    const result = fieldOf(part, "functionResponse");
    if (result === undefined) return [];
    const response = fieldOf(result, "response");
    const told = fieldOf(response, "content") ?? fieldOf(response, "output");
    return [{ by: "tool", text: typeof told === "string" ? told : JSON.stringify(response) }];
  });
}

function tell({ id, model, speech, calls, usage }: Telling): Stream {
  const parts = (list: readonly object[], more: object = {}): string =>
    event({
      candidates: [{ content: { role: "model", parts: list }, index: 0, ...more }],
      modelVersion: model,
      responseId: id,
      usageMetadata: {
        promptTokenCount: usage.input,
        candidatesTokenCount: usage.output,
        totalTokenCount: usage.input + usage.output,
      },
    });
  return {
    opening: speech.thought === "" ? [] : [parts([{ text: speech.thought, thought: true }])],
    piece: (text) => parts([{ text }]),
    closing: [
      parts(
        calls.map(({ name, args }) => ({ functionCall: { name, args } })),
        { finishReason: STOPS[speech.stop] },
      ),
    ],
  };
}

const STOPS = { end: "STOP", length: "MAX_TOKENS", refusal: "SAFETY", tool: "STOP" };
