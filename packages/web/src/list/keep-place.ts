import { useLayoutEffect, useRef, type RefObject } from "react";

/** Keeps the visible rows in place when rows above are added or removed. All rows have the same height. */
export function useKeepPlace(
  scroller: RefObject<HTMLElement | null>,
  keys: readonly string[],
  rowHeight: number,
): void {
  const before = useRef(keys);
  useLayoutEffect(() => {
    const { current: element } = scroller;
    const old = before.current;
    before.current = keys;
    // At the top, new rows should become visible.
    if (element === null || old === keys || element.scrollTop === 0) return;
    const rows = rowsMoved(old, keys, Math.floor(element.scrollTop / rowHeight));
    if (rows !== 0) element.scrollBy({ top: rows * rowHeight, behavior: "instant" });
  }, [scroller, keys, rowHeight]);
}

/** By how many rows the top row, or the next remaining one, has moved. */
export function rowsMoved(old: readonly string[], now: readonly string[], top: number): number {
  const places = new Map(now.map((key, index) => [key, index]));
  for (const [offset, key] of old.slice(top).entries()) {
    const place = places.get(key);
    if (place !== undefined) return place - (top + offset);
  }
  return 0;
}
