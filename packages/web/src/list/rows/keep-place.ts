import { useLayoutEffect, useRef, type RefObject } from "react";

/** A line of the list: a heading or a session. */
export interface Line {
  readonly key: string;
  readonly height: number;
}

/** Keeps the visible lines in place when lines above are added or removed. */
export function useKeepPlace(
  scroller: RefObject<HTMLElement | null>,
  lines: readonly Line[],
  /** The line that must not move; by default the first visible one. */
  anchor: () => string | null,
): void {
  const before = useRef(lines);
  useLayoutEffect(() => {
    const { current: element } = scroller;
    const old = before.current;
    before.current = lines;
    if (element === null || old === lines) return;
    const fixed = anchor();
    // At the top, new lines should become visible.
    if (element.scrollTop === 0 && fixed === null) return;
    const by = movedBy(old, lines, fixed ?? element.scrollTop);
    if (by !== 0) element.scrollBy({ top: by, behavior: "instant" });
  }, [scroller, lines, anchor]);
}

/** By how many pixels a line, or the next remaining one, has moved. The line is given by its key or by an offset in it. */
export function movedBy(old: readonly Line[], now: readonly Line[], line: string | number): number {
  const tops = topsOf(now);
  let top = 0;
  let isReached = false;
  for (const { key, height } of old) {
    isReached ||= typeof line === "string" ? key === line : top + height > line;
    const place = tops.get(key);
    if (isReached && place !== undefined) return place - top;
    top += height;
  }
  return 0;
}

function topsOf(lines: readonly Line[]): ReadonlyMap<string, number> {
  const tops = new Map<string, number>();
  let top = 0;
  for (const { key, height } of lines) {
    tops.set(key, top);
    top += height;
  }
  return tops;
}
