import { cleanJson } from "../../domain/clean-text.ts";
import type { Json, JsonObject } from "../../domain/json.ts";
import { isObject } from "../../storage/rows/parse.ts";

/** A line of a bundle says something that cannot be. Ends the import; nothing has been stored. */
export class BadLine extends Error {}

/** One line as an object, its text cleaned as all that comes from outside. */
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

/** What a field of an object must be; throws `BadLine` with the field's name when it is something else. */
export function textIn(line: JsonObject, field: string): string {
  const value = line[field];
  if (typeof value !== "string") throw mismatch(field, "a text", value);
  return value;
}

export function textOrNullIn(line: JsonObject, field: string): string | null {
  return line[field] === null ? null : textIn(line, field);
}

const ID = /^[^\p{Cc}/\\]{1,200}$/u;

/** Ours are UUIDs; a database that was taken over may have others. None is a path. */
export function idIn(line: JsonObject, field: string): string {
  const value = textIn(line, field);
  if (!ID.test(value)) throw mismatch(field, "an id", value);
  return value;
}

export function idOrNullIn(line: JsonObject, field: string): string | null {
  return line[field] === null ? null : idIn(line, field);
}

export function countIn(line: JsonObject, field: string): number {
  const value = line[field];
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0)
    throw mismatch(field, "a whole number from 0", value);
  return value;
}

export function flagIn(line: JsonObject, field: string): boolean {
  const value = line[field];
  if (typeof value !== "boolean") throw mismatch(field, "true or false", value);
  return value;
}

export function oneOfIn<Value extends string>(
  line: JsonObject,
  field: string,
  values: readonly Value[],
): Value {
  const value = values.find((candidate) => candidate === line[field]);
  if (value === undefined) throw mismatch(field, `one of ${values.join(", ")}`, line[field]);
  return value;
}

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/u;

/** In epoch milliseconds. */
export function timeIn(line: JsonObject, field: string): number {
  const value = textIn(line, field);
  const at = TIME.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(at) || at < 0) throw mismatch(field, "an ISO 8601 time", value);
  return at;
}

export function timeOrNullIn(line: JsonObject, field: string): number | null {
  return line[field] === null ? null : timeIn(line, field);
}

export function jsonIn(line: JsonObject, field: string): Json {
  const value = line[field];
  if (value === undefined) throw mismatch(field, "there", value);
  return value;
}

export function objectIn(line: JsonObject, field: string): JsonObject {
  const value = jsonIn(line, field);
  if (!isObject(value)) throw mismatch(field, "an object", value);
  return value;
}

export function objectOrNullIn(line: JsonObject, field: string): JsonObject | null {
  return line[field] === null ? null : objectIn(line, field);
}

export function listIn(line: JsonObject, field: string): readonly JsonObject[] {
  const value = jsonIn(line, field);
  if (!Array.isArray(value) || !value.every(isObject))
    throw mismatch(field, "a list of objects", value);
  return value;
}

const SHOWN_LENGTH = 60;

function mismatch(field: string, wanted: string, found: Json | undefined): BadLine {
  const shown = JSON.stringify(found)?.slice(0, SHOWN_LENGTH) ?? "missing";
  return new BadLine(`${field} is not ${wanted}: ${shown}`);
}
