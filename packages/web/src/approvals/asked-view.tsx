import { lazy, Suspense, useRef, type ReactElement, type ReactNode, type RefCallback } from "react";
import { classNames } from "../ui/class-names.ts";
import type { FileChange } from "./change-view.tsx";
import { MoreBelow } from "./more-below.tsx";

const ChangeView = lazy(() => import("./change-view.tsx").then((m) => ({ default: m.ChangeView })));

/** What scrolls can be reached with the keyboard. */
const SCROLLING = { tabIndex: 0, role: "group", "aria-label": "What is asked" } as const;

/** What is asked, to its last line; where it is no higher than there is room, with a sign that there is more. */
export function AskedView({
  changes,
  root,
  fit,
  isRead,
  end,
  children,
}: {
  readonly changes: readonly FileChange[];
  /** The folder that paths are shown from. */
  readonly root: string | null;
  readonly fit: boolean;
  /** Whether all of it has been on the screen. */
  readonly isRead: boolean;
  /** Gets what comes after the last line. */
  readonly end: RefCallback<HTMLElement>;
  readonly children: ReactNode;
}): ReactElement {
  const scroller = useRef<HTMLDivElement>(null);
  const content = (
    <div className="flex flex-col gap-2">
      {children}
      <Suspense fallback={<p className="text-xs text-muted">Reading the change…</p>}>
        {changes.map((change) => (
          <ChangeView key={change.path} change={change} root={root} />
        ))}
        <AskedEnd end={end} />
      </Suspense>
    </div>
  );
  if (!fit) return content;
  return (
    <>
      <div
        ref={scroller}
        {...SCROLLING}
        className={classNames("overflow-y-auto", changes.length > 0 ? "min-h-24" : "min-h-9")}
      >
        {content}
      </div>
      <MoreBelow scroller={scroller} isRead={isRead} />
    </>
  );
}

export function AskedEnd({ end }: { readonly end: RefCallback<HTMLElement> }): ReactElement {
  return <span ref={end} aria-hidden="true" className="-mt-3 block h-1 shrink-0" />;
}
