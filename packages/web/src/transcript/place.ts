import { isObject } from "@holdfast/client";

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

/** The required part of `sessionStorage`. */
export type PlaceStorage = Pick<Storage, "getItem" | "setItem">;

const NAME = "holdfast.place.";
const MAX_SIZES = 200;
const MAX_OPENED = 200;

export function savePlace(storage: PlaceStorage, sessionId: string, place: Place): void {
  const { row, sizes, opened } = place;
  const kept: Place = { row, sizes: sizes.slice(0, MAX_SIZES), opened: opened.slice(-MAX_OPENED) };
  try {
    storage.setItem(NAME + sessionId, JSON.stringify(kept));
  } catch {
    // Storage is full or forbidden: the session opens at its end.
  }
}

/** Null when nothing valid is stored. */
export function readPlace(storage: PlaceStorage, sessionId: string): Place | null {
  try {
    return parsePlace(JSON.parse(storage.getItem(NAME + sessionId) ?? "null"));
  } catch {
    return null;
  }
}

function parsePlace(value: unknown): Place | null {
  if (!isObject(value)) return null;
  const { row, sizes, opened } = value;
  return {
    row: parseRow(row),
    sizes: pairsOf(sizes, "number"),
    opened: pairsOf(opened, "boolean"),
  };
}

function parseRow(value: unknown): Place["row"] {
  if (!isObject(value)) return null;
  const { key, messageId, offset } = value;
  return typeof key === "string" && typeof messageId === "string" && typeof offset === "number"
    ? { key, messageId, offset }
    : null;
}

function pairsOf(value: unknown, type: "number"): [string, number][];
function pairsOf(value: unknown, type: "boolean"): [string, boolean][];
function pairsOf(value: unknown, type: "number" | "boolean"): [string, unknown][] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((pair: unknown): [string, unknown][] => {
    if (!Array.isArray(pair)) return [];
    const [key, what]: unknown[] = pair;
    return typeof key === "string" && typeof what === type ? [[key, what]] : [];
  });
}
