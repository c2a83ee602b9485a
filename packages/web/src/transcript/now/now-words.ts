import type { Now } from "./now.ts";

/** What the agent does, also before it has done anything. */
export function nowWords(
  now: Now,
  { isHanded, agent }: { readonly isHanded: boolean; readonly agent: string | null },
): string {
  return now ?? (isHanded ? "Working…" : `Starting ${agent ?? "the agent"}…`);
}
