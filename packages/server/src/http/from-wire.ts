import { cleanJson } from "../domain/clean-text.ts";
import type { Json, JsonObject } from "../domain/json.ts";
import type { MessageContent } from "../domain/message.ts";
import type { SessionQuery } from "../runtime/runtime.ts";
import { InvalidRequest } from "./invalid-request.ts";

type ListPosition = NonNullable<SessionQuery["after"]>;

export interface Said {
  readonly text?: string | undefined;
  readonly content?:
    | readonly { readonly type: string; readonly [key: string]: unknown }[]
    | undefined;
}

/** What a user says, as it is stored: text, or several parts, which the agent gets one by one. */
export function fromWireContent({ text, content }: Said): MessageContent {
  if (content === undefined) return { type: "text", text: text ?? "" };
  const parts = content.map(fromWireJsonObject);
  const [first] = parts;
  return parts.length === 1 && first !== undefined && isTextAlone(first)
    ? { type: "text", text: first.text }
    : { type: "parts", parts };
}

function isTextAlone(part: JsonObject): part is { readonly type: "text"; readonly text: string } {
  return (
    part["type"] === "text" && typeof part["text"] === "string" && Object.keys(part).length === 2
  );
}

/** Bodies are clean JSON already; this says so to the compiler. */
export function fromWireJson(value: unknown): Json {
  const cleaned = cleanJson(value);
  if (!cleaned.ok) throw new Error("unreachable: a body that is no JSON");
  return cleaned.value;
}

export function fromWireJsonObject(value: Readonly<Record<string, unknown>>): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [key, fromWireJson(child)]),
  );
}

export function fromWireTime(text: string): number {
  return Date.parse(text);
}

/** Opaque to clients, who only give it back. */
export function toCursor({ createdAt, id }: ListPosition): string {
  return Buffer.from(`${createdAt} ${id}`).toString("base64url");
}

export function fromCursor(cursor: string): ListPosition {
  const match = /^(\d{1,15}) (\S+)$/u.exec(Buffer.from(cursor, "base64url").toString());
  const [, createdAt, id] = match ?? [];
  if (createdAt === undefined || id === undefined) {
    throw new InvalidRequest([{ field: "cursor", message: "must be a nextCursor of this list" }]);
  }
  return { createdAt: Number(createdAt), id };
}
