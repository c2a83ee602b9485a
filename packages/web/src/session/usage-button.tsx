import { lazy, Suspense, useState, type ReactElement } from "react";
import { Dialog } from "../ui/dialog.tsx";
import type { SessionView } from "./session-view.ts";
import { usageOf, usageText } from "./usage.ts";

const UsageDetails = lazy(() =>
  import("./usage-details.tsx").then((m) => ({ default: m.UsageDetails })),
);

/** What the last run has used; pressed, what all have. Nothing where no agent told. */
export function UsageButton({ view }: { readonly view: SessionView }): ReactElement | null {
  const [isOpen, setOpen] = useState(false);
  const last = view.runs.findLast(({ usage }) => usage !== null);
  const ofLast = last === undefined ? null : usageOf([last]);
  if (ofLast === null) return null;
  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        title="What the last run has used"
        onClick={() => setOpen(true)}
        className="touch-target inline-flex items-center rounded px-1 tabular-nums underline decoration-line-strong/60 underline-offset-2 hover:bg-hover"
      >
        {usageText(ofLast)}
      </button>
      <Dialog open={isOpen} onClose={() => setOpen(false)} title="Usage" size="small" isText>
        <Suspense fallback={null}>
          <UsageDetails view={view} />
        </Suspense>
      </Dialog>
    </>
  );
}
