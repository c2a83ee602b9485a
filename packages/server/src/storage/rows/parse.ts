import { isObject, type Json, type JsonObject } from "../../domain/json.ts";

/** A row holds an invalid value. It is reported and quarantined, never repaired by guessing. */
export class UnreadableRow extends Error {}

/** Undefined for an unreadable row, where another read reports it. */
export function unlessUnreadable<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnreadableRow) return undefined;
    throw error;
  }
}

export function oneOf<Value extends string>(
  values: readonly Value[],
  column: string,
  found: unknown,
): Value {
  const value = values.find((candidate) => candidate === found);
  if (value === undefined) throw new UnreadableRow(`${column} is ${JSON.stringify(found)}`);
  return value;
}

/** The maximum distance of a JavaScript time from 1970, in milliseconds. */
const LAST_TIME = 8.64e15;

/** Throws `UnreadableRow` when a column holds no valid time. */
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

export function toFlag(value: boolean): number {
  return value ? 1 : 0;
}
