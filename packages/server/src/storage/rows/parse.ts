import type { Json, JsonObject } from "../../domain/json.ts";

/** A row says something that cannot be. It is reported and set aside, never guessed at. */
export class UnreadableRow extends Error {}

export function oneOf<Value extends string>(
  values: readonly Value[],
  column: string,
  found: unknown,
): Value {
  const value = values.find((candidate) => candidate === found);
  if (value === undefined) throw new UnreadableRow(`${column} is ${JSON.stringify(found)}`);
  return value;
}

/** The furthest from 1970 that a time can be, in milliseconds. */
const LAST_TIME = 8.64e15;

/** Throws where a column holds what is no time. */
export function checkTimes<Column extends string>(
  row: Readonly<Record<Column, number | null>>,
  columns: readonly Column[],
): void {
  for (const column of columns) {
    const value = row[column];
    if (value !== null && !(Math.abs(value) <= LAST_TIME))
      throw new UnreadableRow(`${column} is ${JSON.stringify(value)}, which is no time`);
  }
}

export function parseJson(column: string, text: string): Json {
  try {
    const parsed: Json = JSON.parse(text);
    return parsed;
  } catch {
    throw new UnreadableRow(`${column} is not JSON`);
  }
}

export function parseJsonOrNull(column: string, text: string | null): Json {
  return text === null ? null : parseJson(column, text);
}

export function parseObject(column: string, text: string): JsonObject {
  const parsed = parseJson(column, text);
  if (!isObject(parsed)) throw new UnreadableRow(`${column} is not an object`);
  return parsed;
}

export function isObject(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function toFlag(value: boolean): number {
  return value ? 1 : 0;
}
