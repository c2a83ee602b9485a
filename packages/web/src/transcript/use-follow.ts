import { type RefObject, useEffect, useLayoutEffect, useState } from "react";
import { distanceFromEnd, type TranscriptVirtualizer } from "./use-place.ts";

/** What a reader does to look at another place. */
const READER_EVENTS = ["wheel", "touchmove", "pointerdown", "keydown"] as const;

/** Follows the end, from the moment the reader asks for it until the reader does something in the list. */
export interface Follow {
  readonly begin: () => void;
  readonly end: () => void;
  /** Scrolls again if rows were added or measured since. */
  readonly look: () => void;
}

/**
 * A single scroll to the end can be too short: rows that are added before the browser reports the scroll do not count
 * as added at the end.
 */
export function useFollow(
  virtualizer: TranscriptVirtualizer,
  list: RefObject<HTMLElement | null>,
  endPx: number,
): Follow {
  const [follow] = useState((): Follow => {
    let isOn = false;
    return {
      begin() {
        isOn = true;
        virtualizer.scrollToEnd();
      },
      end() {
        isOn = false;
      },
      look() {
        if (isOn && distanceFromEnd(virtualizer) > endPx) virtualizer.scrollToEnd();
      },
    };
  });
  useLayoutEffect(() => follow.look());
  useEffect(() => {
    const element = list.current;
    for (const type of READER_EVENTS)
      element?.addEventListener(type, follow.end, { passive: true });
    return () => {
      for (const type of READER_EVENTS) element?.removeEventListener(type, follow.end);
    };
  }, [list, follow]);
  return follow;
}
