import type { ChangedFile } from "@holdfast/protocol";

/** A rename shows both paths. */
export function pathText({ path, from }: Pick<ChangedFile, "path" | "from">): string {
  return from === null ? path : `${from} → ${path}`;
}

/** Submodules have no lines either. */
export function isBinary({ added, deleted }: Pick<ChangedFile, "added" | "deleted">): boolean {
  return added === null || deleted === null;
}

/** Whether lines changed; a file can also be moved, or get another mode. */
export function hasLines({ added, deleted }: Pick<ChangedFile, "added" | "deleted">): boolean {
  return added !== null && deleted !== null && added + deleted > 0;
}

/** Says that the mode changed; null if it did not, or if the file is new or gone. */
export function modeText({
  modeBefore,
  modeAfter,
}: Pick<ChangedFile, "modeBefore" | "modeAfter">): string | null {
  if (modeBefore === null || modeAfter === null || modeBefore === modeAfter) return null;
  return `Its mode changed from ${modeBefore} to ${modeAfter}.`;
}
