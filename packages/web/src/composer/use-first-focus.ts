import { useEffect, type RefObject } from "react";

/** Focuses the element when it is mounted. */
export function useFirstFocus(element: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    element.current?.focus();
  }, [element]);
}
