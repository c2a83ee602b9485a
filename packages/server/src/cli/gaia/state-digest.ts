import { hash } from "node:crypto";
import type { Json, JsonObject } from "../../domain/json.ts";

/** Equal for files that say the same, whenever they were last updated. */
export function digestOf({ last_updated: _, ...state }: JsonObject): string {
  return hash("sha256", canonical(state)).slice(0, 32);
}

/** One text for the same JSON, in whatever order its keys are. */
function canonical(value: Json): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (isList(value)) return `[${value.map(canonical).join(",")}]`;
  const keys = Object.keys(value).toSorted();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key] ?? null)}`).join(",")}}`;
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
