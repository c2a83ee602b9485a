import type { Session } from "@holdfast/protocol";
import { lazy, Suspense, useState, type ReactElement } from "react";
import { Dialog } from "../ui/dialog.tsx";
import { PHASE_NAMES } from "./phase-names.ts";

const PhaseTimeline = lazy(() =>
  import("./phase-timeline.tsx").then((m) => ({ default: m.PhaseTimeline })),
);

/** What the agent says it is doing; pressed, everything it has been doing. */
export function PhaseButton({ session }: { readonly session: Session }): ReactElement {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
        className="touch-target inline-flex items-center rounded px-1 underline decoration-line-strong/60 underline-offset-2 hover:bg-hover"
      >
        {PHASE_NAMES[session.phase]}
      </button>
      <Dialog open={isOpen} onClose={() => setOpen(false)} title="Phases" isText>
        <Suspense fallback={null}>
          <PhaseTimeline session={session} />
        </Suspense>
      </Dialog>
    </>
  );
}
