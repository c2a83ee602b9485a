import { useEffect, type RefObject } from "react";

/** Puts the focus where somebody has just asked to type. */
export function useFirstFocus(element: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    element.current?.focus();
  }, [element]);
}
