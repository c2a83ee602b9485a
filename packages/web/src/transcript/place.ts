import { isObject } from "@holdfast/client";
import { parseJson, type PageStorage } from "../api/page-storage.ts";

/** The reading position: a row and how far its top was above the top of the list; null at the end. */
export interface Place {
  readonly row: {
    readonly key: string;
    readonly messageId: string;
    readonly offset: number;
  } | null;
  /** The heights of the rows around, so that nothing moves when they are rendered again. */
  readonly sizes: readonly (readonly [key: string, size: number])[];
  readonly opened: readonly (readonly [key: string, open: boolean])[];
}

const NAME = "holdfast.place.";
const MAX_SIZES = 200;
const MAX_OPENED = 200;

export function savePlace(storage: PageStorage, sessionId: string, place: Place): void {
  const { row, sizes, opened } = place;
  const saved: Place = { row, sizes: sizes.slice(0, MAX_SIZES), opened: opened.slice(-MAX_OPENED) };
  storage.set(NAME + sessionId, JSON.stringify(saved));
}

/** Null when nothing valid is stored. */
export function readPlace(storage: PageStorage, sessionId: string): Place | null {
  const value = parseJson(storage.get(NAME + sessionId));
  if (!isObject(value)) return null;
  const { row, sizes, opened } = value;
  return {
    row: parseRow(row),
    sizes: pairsOf(sizes, (each) => typeof each === "number"),
    opened: pairsOf(opened, (each) => typeof each === "boolean"),
  };
}

function parseRow(value: unknown): Place["row"] {
  if (!isObject(value)) return null;
  const { key, messageId, offset } = value;
  return typeof key === "string" && typeof messageId === "string" && typeof offset === "number"
    ? { key, messageId, offset }
    : null;
}

function pairsOf<Value>(
  value: unknown,
  isValue: (each: unknown) => each is Value,
): readonly (readonly [string, Value])[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((pair: unknown) => {
    const [key, each]: unknown[] = Array.isArray(pair) ? pair : [];
    return typeof key === "string" && isValue(each) ? [[key, each] as const] : [];
  });
}
