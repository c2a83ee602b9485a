import type { Json } from "./json.ts";

/** JSON that is nested deeper is refused. */
export const MAX_JSON_DEPTH = 64;

/** Text that both databases can store: no NUL, no lone surrogates. */
export function cleanText(text: string): string {
  return text.toWellFormed().replaceAll("\0", "");
}

export type CleanJson =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly refused: "too_deep" | "not_json" };

/** Cleans every text and key of a value from outside. */
export function cleanJson(value: unknown): CleanJson {
  const problem = { code: null as "too_deep" | "not_json" | null };
  const clean = (item: unknown, depth: number): Json => {
    if (depth > MAX_JSON_DEPTH) {
      problem.code ??= "too_deep";
      return null;
    }
    switch (typeof item) {
      case "string":
        return cleanText(item);
      case "boolean":
        return item;
      case "number":
        if (!Number.isFinite(item)) problem.code ??= "not_json";
        return item;
      case "object":
        if (item === null) return null;
        if (Array.isArray(item)) return item.map((child) => clean(child, depth + 1));
        return Object.fromEntries(
          Object.entries(item).map(([key, child]) => [cleanText(key), clean(child, depth + 1)]),
        );
      default:
        problem.code ??= "not_json";
        return null;
    }
  };
  const cleaned = clean(value, 0);
  const { code } = problem;
  return code === null ? { ok: true, value: cleaned } : { ok: false, refused: code };
}
