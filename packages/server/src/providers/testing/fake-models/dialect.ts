import type { ModelRequest, FakeCall } from "./model-request.ts";
import type { Speech } from "./decide-answer.ts";

/** The requests and streamed answers of one kind of API. */
export interface Dialect {
  readonly name: "anthropic" | "chat" | "responses" | "gemini";
  isAsked(path: string): boolean;
  parse(body: unknown, path: string): ModelRequest;
  /** The raw events before the chunks, for each chunk, and after them. */
  tell(answer: Telling): Stream;
  /** The answer without streaming. */
  whole(answer: Telling): unknown;
  failure(status: number, message: string): unknown;
}

export interface Telling {
  readonly model: string;
  readonly speech: Speech;
  readonly calls: readonly NamedCall[];
  readonly usage: FakeUsage;
  readonly id: string;
}

export interface NamedCall extends FakeCall {
  readonly id: string;
}

export interface FakeUsage {
  readonly input: number;
  readonly output: number;
}

export interface Stream {
  readonly opening: readonly string[];
  piece(text: string): string;
  readonly closing: readonly string[];
}

export function event(data: object, name?: string): string {
  const head = name === undefined ? "" : `event: ${name}\n`;
  return `${head}data: ${JSON.stringify(data)}\n\n`;
}

/** An event whose name is its type. */
export function typed(data: Readonly<Record<string, unknown>> & { readonly type: string }): string {
  return event(data, data.type);
}
