import type { Json, JsonObject } from "../../domain/json.ts";
import type { PhaseChange } from "../../domain/phase.ts";
import { BadState, listAt, objectAt, phaseAt, timeAt } from "./field-readers.ts";
import { toStateTime } from "./state-time.ts";

/** Throws `BadState` for an entry that is not a phase change. */
export function parseHistory(value: Json | undefined): readonly PhaseChange[] {
  return listAt("history", value).map((entry, index) => parseEntry(`history[${index}]`, entry));
}

/**
 * The imported entries unchanged, followed by the phase changes since. A session keeps a limited number of changes, so
 * the first of them are matched with the end of the imported ones.
 */
export function historyWith(
  imported: readonly Json[],
  changes: readonly PhaseChange[],
): readonly Json[] {
  const known = imported.map(toChange);
  let shared = Math.min(known.length, changes.length);
  while (shared > 0 && !isBeginning(known.slice(known.length - shared), changes)) shared -= 1;
  return [...imported, ...changes.slice(shared).map(toEntry)];
}

export function toEntry({ from, to, at }: PhaseChange): JsonObject {
  return { from_phase: from, to_phase: to, timestamp: toStateTime(at) };
}

function parseEntry(place: string, entry: Json): PhaseChange {
  const { from_phase: from, to_phase: to, timestamp } = objectAt(place, entry);
  return {
    from: phaseAt(`${place}.from_phase`, from),
    to: phaseAt(`${place}.to_phase`, to),
    at: timeAt(`${place}.timestamp`, timestamp),
  };
}

/** Null for an invalid entry in the stored history. */
function toChange(entry: Json): PhaseChange | null {
  try {
    return parseEntry("", entry);
  } catch (error) {
    if (error instanceof BadState) return null;
    throw error;
  }
}

function isBeginning(
  beginning: readonly (PhaseChange | null)[],
  changes: readonly PhaseChange[],
): boolean {
  return beginning.every((known, index) => {
    const change = changes[index];
    return known?.from === change?.from && known?.to === change?.to && known?.at === change?.at;
  });
}
