import type { Json } from "../../domain/json.ts";
import type { PhaseChange } from "../../domain/phase.ts";
import { phaseChangeSchema } from "./state-schema.ts";
import { toStateTime } from "./state-time.ts";

/**
 * The imported entries unchanged, followed by the phase changes since. A session keeps a limited number of changes, so
 * the first of them are matched with the end of the imported ones.
 */
export function historyWith(
  imported: readonly Json[],
  changes: readonly PhaseChange[],
): readonly Json[] {
  // An invalid entry in the stored history equals no change.
  const earlier = imported.map((entry) => phaseChangeSchema.safeParse(entry).data);
  let shared = Math.min(earlier.length, changes.length);
  while (shared > 0 && !isBeginning(earlier.slice(-shared), changes)) shared -= 1;
  return [...imported, ...changes.slice(shared).map(toEntry)];
}

export function toEntry({ from, to, at }: PhaseChange) {
  return { from_phase: from, to_phase: to, timestamp: toStateTime(at) };
}

function isBeginning(
  beginning: readonly (PhaseChange | undefined)[],
  changes: readonly PhaseChange[],
): boolean {
  return beginning.every((entry, index) => {
    const change = changes[index];
    return entry?.from === change?.from && entry?.to === change?.to && entry?.at === change?.at;
  });
}
