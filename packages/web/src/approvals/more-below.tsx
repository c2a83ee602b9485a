import { ArrowDown } from "lucide-react";
import { useEffect, useState, type ReactElement, type RefObject } from "react";

/** Of the text of commands and changes. */
const LINE_PX = 20;
/** Of what is on the screen, so much stays: one sees where one was. */
const KEPT_PX = 2 * LINE_PX;

/** Says how much of what scrolls is out of sight below, and goes on to it. Nothing when all is in sight. */
export function MoreBelow({
  scroller,
  isRead,
}: {
  /** Its one child is as high as it needs to be. */
  readonly scroller: RefObject<HTMLElement | null>;
  readonly isRead: boolean;
}): ReactElement | null {
  const lines = useLinesBelow(scroller);
  if (lines === 0) return null;
  const goOn = (): void => {
    const element = scroller.current;
    element?.scrollBy({ top: Math.max(LINE_PX, element.clientHeight - KEPT_PX) });
  };
  return (
    <button
      type="button"
      onClick={goOn}
      className="-mt-2 inline-flex min-h-8 shrink-0 items-center justify-center gap-1.5 rounded-md bg-warn-soft px-3 text-xs font-semibold text-warn pointer-coarse:min-h-11"
    >
      <ArrowDown size={14} aria-hidden="true" />
      {lines === 1 ? "1 more line" : `${lines.toLocaleString("en")} more lines`}
      {!isRead && " to read before it can be allowed"}
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
