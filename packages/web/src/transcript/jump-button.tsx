import { ArrowDown } from "lucide-react";
import type { ReactElement } from "react";

/** The way back to what is new, for who reads further up. */
export function JumpButton({
  fresh,
  onJump,
}: {
  /** How many messages have come since. */
  readonly fresh: number;
  readonly onJump: () => void;
}): ReactElement {
  return (
    <button type="button" className="jump-button touch-target" onClick={onJump}>
      <ArrowDown aria-hidden size={14} />
      {fresh === 0 ? "Jump to latest" : `Jump to latest · ${fresh.toLocaleString("en")} new`}
    </button>
  );
}
