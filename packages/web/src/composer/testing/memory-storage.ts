import type { PageStorage } from "../../api/page-storage.ts";

/** A storage that is forgotten with its test. */
export function memoryStorage(): PageStorage & { readonly kept: Map<string, string> } {
  const kept = new Map<string, string>();
  return {
    kept,
    get: (key) => kept.get(key) ?? null,
    set: (key, value) => void (value === null ? kept.delete(key) : kept.set(key, value)),
  };
}
