import { useEffect, type RefObject } from "react";

/**
 * Keeps the end of an element above a phone's keyboard. Some browsers make the page smaller when the
 * keyboard comes; the others only say how much of it is still seen.
 */
export function useKeyboardInset(element: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const { visualViewport: seen } = window;
    if (seen === null) return undefined;
    const fit = (): void => {
      const { current } = element;
      if (current === null) return;
      // A page that was zoomed into is smaller for another reason.
      if (seen.scale > 1.01) return;
      current.style.paddingBottom = "0px";
      const hidden = current.getBoundingClientRect().bottom - (seen.offsetTop + seen.height);
      current.style.paddingBottom = hidden > 1 ? `${Math.round(hidden)}px` : "";
    };
    seen.addEventListener("resize", fit);
    seen.addEventListener("scroll", fit);
    return () => {
      seen.removeEventListener("resize", fit);
      seen.removeEventListener("scroll", fit);
    };
  }, [element]);
}
