import type { Session } from "@holdfast/protocol";
import { Archive, X } from "lucide-react";
import type { ReactElement } from "react";
import { Button, IconButton } from "../ui/button.tsx";
import { canArchive } from "./archive-sessions.ts";

/** What can be done with all that is selected. */
export function SelectionBar({
  sessions,
  onArchive,
  onClear,
}: {
  readonly sessions: readonly Session[];
  readonly onArchive: (ids: readonly string[]) => void;
  readonly onClear: () => void;
}): ReactElement | null {
  if (sessions.length === 0) return null;
  const open = sessions.filter(canArchive).map(({ id }) => id);
  return (
    <div
      role="toolbar"
      aria-label="Selected sessions"
      className="mx-3 mb-2 flex items-center gap-2 rounded-md bg-accent-soft py-1 pr-1 pl-3 md:mx-4"
    >
      <span className="flex-1 font-medium">{sessions.length} selected</span>
      <Button
        size="small"
        icon={<Archive size={14} aria-hidden="true" />}
        disabled={open.length === 0}
        onClick={() => onArchive(open)}
      >
        Archive{open.length === sessions.length ? "" : ` ${open.length}`}
      </Button>
      <IconButton size="small" label="Select nothing" onClick={onClear}>
        <X size={15} aria-hidden="true" />
      </IconButton>
    </div>
  );
}
