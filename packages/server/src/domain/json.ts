/** JSON that was parsed, cleaned and limited where it came in. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: Json;
}

export function sameJson(left: Json, right: Json): boolean {
  if (left === right) return true;
  if (left === null || right === null) return false;
  if (typeof left !== "object" || typeof right !== "object") return false;
  if (isArray(left) || isArray(right)) {
    return (
      isArray(left) &&
      isArray(right) &&
      left.length === right.length &&
      left.every((item, index) => sameJson(item, right[index] ?? null))
    );
  }
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every(
      (key) => Object.hasOwn(right, key) && sameJson(left[key] ?? null, right[key] ?? null),
    )
  );
}

/**
 * JSON text that is equal for equal values, whatever the order of their keys. Strings in `blanked` are written as
 * empty strings.
 */
export function canonicalJson(value: Json, blanked: ReadonlySet<string> = new Set()): string {
  if (typeof value === "string") return JSON.stringify(blanked.has(value) ? "" : value);
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (isArray(value)) return `[${value.map((item) => canonicalJson(item, blanked)).join(",")}]`;
  const fields = Object.entries(value)
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item, blanked)}`);
  return `{${fields.join(",")}}`;
}

export function isArray(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

/** An object rather than null, an array or a primitive. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>>;
export function isObject(value: Json | undefined): value is JsonObject;
export function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
