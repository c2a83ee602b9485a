/** JSON as it crosses our edges: already parsed, cleaned and bounded where it came in. */
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

export function isArray(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

/** An object rather than null, an array or a primitive. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>>;
export function isObject(value: Json | undefined): value is JsonObject;
export function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
