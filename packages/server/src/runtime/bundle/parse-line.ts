import type { z } from "zod";
import { cleanJson } from "../../domain/clean-text.ts";
import { isObject, type Json, type JsonObject } from "../../domain/json.ts";

/** A line that cannot be imported. The message continues the sentence "Line 3 …". */
export class BadLine extends Error {}

/** Parses one line and cleans its text like all input from outside. */
export function parseLine(line: string): JsonObject {
  const cleaned = cleanJson(parseJson(line));
  if (!cleaned.ok)
    throw new BadLine(cleaned.refused === "too_deep" ? "is nested too deeply" : "is not JSON");
  if (!isObject(cleaned.value)) throw new BadLine("is not an object");
  return cleaned.value;
}

function parseJson(line: string): unknown {
  try {
    const parsed: unknown = JSON.parse(line);
    return parsed;
  } catch {
    throw new BadLine("is not JSON");
  }
}

const SHOWN_LENGTH = 60;

/** Shortens a value for an error message. */
export function shown(value: unknown): string {
  return JSON.stringify(value).slice(0, SHOWN_LENGTH);
}

/** Validates a line. Each error message of the schema names the expected value, such as "a string". */
export function parseFields<Fields>(schema: z.ZodType<Fields>, line: JsonObject): Fields {
  const parsed = schema.safeParse(line);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  if (issue === undefined) throw new Error("unreachable: a validation failed without an issue");
  const field = issue.path.join(".");
  const value = issue.path.reduce<Json | undefined>(valueIn, line);
  if (value === undefined) throw new BadLine(`has no ${field}`);
  throw new BadLine(`has a wrong ${field}: expected ${issue.message}, got ${shown(value)}`);
}

function valueIn(value: Json | undefined, key: PropertyKey): Json | undefined {
  if (Array.isArray(value)) return value[Number(key)];
  return isObject(value) ? value[String(key)] : undefined;
}
