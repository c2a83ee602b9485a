import { GitFork } from "lucide-react";
import type { ReactElement } from "react";
import { Button } from "../ui/button.tsx";
import type { ComposerState } from "./composer-state.ts";

/** In place of the box: why there is none, and what can be done instead. */
export function ClosedComposer({
  state: { reason, way },
  onFork,
  onAccept,
}: {
  readonly state: Extract<ComposerState, { open: false }>;
  readonly onFork: () => void;
  readonly onAccept: () => void;
}): ReactElement {
  return (
    <div className="flex flex-wrap items-center gap-3 rounded-lg border border-line bg-sunken px-3 py-2.5">
      <p className="min-w-0 flex-1 basis-52 text-muted wrap-anywhere">{reason}</p>
      {way === "fork" && (
        <Button size="small" icon={<GitFork size={13} aria-hidden="true" />} onClick={onFork}>
          Fork to go on
        </Button>
      )}
      {way === "accept" && (
        <Button size="small" onClick={onAccept}>
          Take messages again
        </Button>
      )}
    </div>
  );
}
