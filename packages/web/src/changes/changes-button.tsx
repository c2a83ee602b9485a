import type { ChangeCounts } from "@holdfast/protocol";
import { FileDiff } from "lucide-react";
import type { ReactElement } from "react";
import { countsName, countsText, someChanges } from "./counts.ts";

/** Opens the panel; hidden if nothing changed, or if it is not known. */
export function ChangesButton({
  changes,
  open,
  onToggle,
}: {
  readonly changes: ChangeCounts | null;
  readonly open: boolean;
  readonly onToggle: () => void;
}): ReactElement | null {
  const counts = someChanges(changes);
  if (counts === null && !open) return null;
  const name = counts === null ? "Nothing has changed" : countsName(counts);
  return (
    <button
      type="button"
      aria-expanded={open}
      aria-label={`Changes: ${name}`}
      title={`Changes of this session: ${name}`}
      onClick={onToggle}
      className="touch-target inline-flex h-7 shrink-0 items-center gap-1.5 rounded-md border border-line-strong/60 bg-surface px-2 text-xs font-medium tabular-nums hover:bg-hover aria-expanded:bg-accent-soft"
    >
      <FileDiff size={13} aria-hidden="true" />
      {counts === null ? "Changes" : countsText(counts)}
    </button>
  );
}
