import {
  lazy,
  type ReactElement,
  type ReactNode,
  type RefCallback,
  type RefObject,
  Suspense,
  useEffect,
  useRef,
  useState,
} from "react";
import { ArrowDown } from "lucide-react";
import { classNames } from "../ui/class-names.ts";
import type { FileChange } from "./change-view.tsx";

const ChangeView = lazy(() => import("./change-view.tsx").then((m) => ({ default: m.ChangeView })));

/** A scroll area must be focusable. */
const SCROLLING = { tabIndex: 0, role: "group", "aria-label": "Request" } as const;

const LIMITS = {
  row: "max-h-[min(26rem,50dvh)]",
  fit: "min-h-9",
  fill: "min-h-0 flex-1",
} as const;

/** The content of a request. It scrolls, and says how much is left. */
export function RequestView({
  changes,
  root,
  shape,
  isRead,
  end,
  more,
  children,
}: {
  readonly changes: readonly FileChange[];
  /** Paths are shown relative to this folder. */
  readonly root: string | null;
  readonly shape: keyof typeof LIMITS;
  /** Whether the end has been on the screen. */
  readonly isRead: boolean;
  /** The ref of the element after the last line. */
  readonly end: RefCallback<HTMLElement>;
  /** The ref of the button that scrolls on. */
  readonly more: RefObject<HTMLButtonElement | null>;
  readonly children: ReactNode;
}): ReactElement {
  const scroller = useRef<HTMLDivElement>(null);
  return (
    <>
      <div
        ref={scroller}
        {...SCROLLING}
        className={classNames("overflow-y-auto overscroll-contain", LIMITS[shape])}
      >
        <div className="flex flex-col gap-2">
          {changes.length === 0 && children}
          <Suspense fallback={<p className="text-xs text-muted">Reading the change…</p>}>
            {changes.map((change) => (
              <ChangeView key={change.path} change={change} root={root} />
            ))}
            {changes.length > 0 && children}
            <RequestEnd end={end} />
          </Suspense>
        </div>
      </div>
      <MoreBelow scroller={scroller} isRead={isRead} button={more} />
    </>
  );
}

export function RequestEnd({ end }: { readonly end: RefCallback<HTMLElement> }): ReactElement {
  return <span ref={end} aria-hidden="true" className="-mt-3 block h-1 shrink-0" />;
}

/** The line height of commands and changes. */
const LINE_PX = 20;
/** The overlap of a page scroll. */
const KEPT_PX = 2 * LINE_PX;

/** Shows how many lines are hidden below, and scrolls to them. */
export function MoreBelow({
  scroller,
  isRead,
  button,
}: {
  /** The scroll area; its only child has the full height. */
  readonly scroller: RefObject<HTMLElement | null>;
  readonly isRead: boolean;
  readonly button?: RefObject<HTMLButtonElement | null>;
}): ReactElement | null {
  const lines = useLinesBelow(scroller);
  if (lines === 0) return null;
  const goOn = (): void => {
    const element = scroller.current;
    element?.scrollBy({ top: Math.max(LINE_PX, element.clientHeight - KEPT_PX) });
  };
  return (
    <button
      ref={button}
      type="button"
      onClick={goOn}
      className="-mt-2 inline-flex min-h-8 shrink-0 items-center justify-center gap-1.5 rounded-md bg-warn-soft px-3 text-xs font-semibold text-warn pointer-coarse:min-h-11"
    >
      <ArrowDown size={14} aria-hidden="true" />
      {isRead ? "" : "Review "}
      {lines === 1 ? "1 more line" : `${lines.toLocaleString("en")} more lines`}
      {isRead ? "" : " to allow"}
    </button>
  );
}

function useLinesBelow(scroller: RefObject<HTMLElement | null>): number {
  const [lines, setLines] = useState(0);
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const count = (): void => {
      const px = element.scrollHeight - element.scrollTop - element.clientHeight;
      setLines(px <= 1 ? 0 : Math.ceil(px / LINE_PX));
    };
    const observer = new ResizeObserver(count);
    observer.observe(element);
    for (const child of element.children) observer.observe(child);
    element.addEventListener("scroll", count, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", count);
    };
  }, [scroller]);
  return lines;
}
