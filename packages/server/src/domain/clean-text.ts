import type { Json } from "./json.ts";

/** JSON nested deeper than this is refused where it comes in. */
export const MAX_JSON_DEPTH = 64;

/** Text as both databases can hold it, the same: no NUL, no half of a surrogate pair. */
export function cleanText(text: string): string {
  return text.toWellFormed().replaceAll("\0", "");
}

export type CleanJson =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly refused: "too_deep" | "not_json" };

/** Cleans every text and key in a value that came from outside, once, at the edge. */
export function cleanJson(value: unknown): CleanJson {
  const refused = { found: null as "too_deep" | "not_json" | null };
  const clean = (item: unknown, depth: number): Json => {
    if (depth > MAX_JSON_DEPTH) {
      refused.found ??= "too_deep";
      return null;
    }
    switch (typeof item) {
      case "string":
        return cleanText(item);
      case "boolean":
        return item;
      case "number":
        if (!Number.isFinite(item)) refused.found ??= "not_json";
        return item;
      case "object":
        if (item === null) return null;
        if (Array.isArray(item)) return item.map((child) => clean(child, depth + 1));
        return Object.fromEntries(
          Object.entries(item).map(([key, child]) => [cleanText(key), clean(child, depth + 1)]),
        );
      default:
        refused.found ??= "not_json";
        return null;
    }
  };
  const cleaned = clean(value, 0);
  return refused.found === null
    ? { ok: true, value: cleaned }
    : { ok: false, refused: refused.found };
}
