import type { ChangeCounts } from "@holdfast/protocol";
import { PanelRight } from "lucide-react";
import type { ReactElement } from "react";
import { countsName, countsText, someChanges } from "../changes/counts.ts";

/** Opens and closes the panel, and shows how much the session changed. */
export function PanelButton({
  changes,
  open,
  onToggle,
}: {
  readonly changes: ChangeCounts | null;
  readonly open: boolean;
  readonly onToggle: () => void;
}): ReactElement {
  const counts = someChanges(changes);
  const name = counts === null ? "Panel" : `Panel: ${countsName(counts)}`;
  return (
    <button
      type="button"
      aria-expanded={open}
      aria-label={name}
      title={`${name} (])`}
      onClick={onToggle}
      className="touch-target inline-flex h-7 min-w-7 shrink-0 items-center justify-center gap-1.5 rounded-md px-1.5 text-xs font-medium tabular-nums hover:bg-hover aria-expanded:bg-accent-soft"
    >
      {counts !== null && countsText(counts)}
      <PanelRight size={16} aria-hidden="true" />
    </button>
  );
}
