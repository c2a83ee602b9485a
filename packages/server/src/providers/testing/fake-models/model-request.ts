/** A request to a model, in the same form for all dialects. */
export interface ModelRequest {
  readonly model: string;
  /** In order, without system prompts. */
  readonly said: readonly Turn[];
  readonly tools: readonly OfferedTool[];
  readonly isStreamed: boolean;
}

export interface Turn {
  readonly by: "user" | "model" | "tool";
  readonly text: string;
}

export interface OfferedTool {
  readonly name: string;
  readonly inputSchema: unknown;
}

/** The text of content that is a string or a list of parts. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((part: unknown) => (typeof part === "string" ? part : fieldOf(part, "text")))
    .filter((text) => typeof text === "string")
    .join("\n");
}

export function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return Object.entries(value).find(([key]) => key === name)?.[1];
}

export function listIn(value: unknown, name: string): readonly unknown[] {
  const list = fieldOf(value, name);
  return Array.isArray(list) ? list : [];
}

export function wordIn(value: unknown, name: string): string {
  const word = fieldOf(value, name);
  return typeof word === "string" ? word : "";
}

export interface FakeCall {
  readonly name: string;
  readonly args: unknown;
}
