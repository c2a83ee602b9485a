import { useVirtualizer } from "@tanstack/react-virtual";
import {
  type ReactElement,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
} from "react";
import { useKeepPlace } from "./keep-place.ts";
import { type RowProps, SessionRow } from "./session-row.tsx";
import { useShortcuts } from "../app/use-shortcuts.ts";

const ROW_HEIGHT = 60;
/** With a line for the matching message. */
const FOUND_ROW_HEIGHT = 82;
const LOAD_AHEAD = 15;

/** The scroll position of each list, restored when navigating back. */
const places = new Map<string, number>();

export function SessionRows({
  rows,
  listKey,
  hasMore,
  onLoadMore,
}: {
  readonly rows: readonly RowProps[];
  /** Identifies the list; a new one starts at the top. */
  readonly listKey: string;
  readonly hasMore: boolean;
  readonly onLoadMore: () => void;
}): ReactElement {
  const scroller = useRef<HTMLDivElement>(null);
  const rowHeight = rows[0]?.query === undefined ? ROW_HEIGHT : FOUND_ROW_HEIGHT;
  const keys = useMemo(() => rows.map(({ session }) => session.id), [rows]);
  // oxlint-disable-next-line react/incompatible-library -- nothing here is memoised by a compiler
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => keys[index] ?? index,
    overscan: 8,
    initialOffset: () => places.get(listKey) ?? 0,
  });
  useRememberedPlace(scroller, listKey);
  useLayoutEffect(() => virtualizer.measure(), [virtualizer, rowHeight]);
  useKeepPlace(scroller, keys, rowHeight);
  const items = virtualizer.getVirtualItems();
  const lastShown = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && lastShown >= rows.length - LOAD_AHEAD) onLoadMore();
  }, [hasMore, lastShown, rows.length, onLoadMore]);
  useRowKeys(scroller, rows, (index) => virtualizer.scrollToIndex(index, { align: "auto" }));
  return (
    <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto overscroll-contain">
      <ul aria-label="Sessions" className="relative" style={{ height: virtualizer.getTotalSize() }}>
        {items.map(({ index, key, start }) => {
          const row = rows[index];
          if (row === undefined) return null;
          return (
            <li
              key={key}
              aria-posinset={index + 1}
              aria-setsize={hasMore ? -1 : rows.length}
              className="absolute inset-x-0 top-0"
              style={{ height: rowHeight, transform: `translateY(${start}px)` }}
            >
              <SessionRow {...row} />
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function useRememberedPlace(scroller: RefObject<HTMLElement | null>, listKey: string): void {
  useLayoutEffect(() => {
    const { current: element } = scroller;
    if (element === null) return;
    element.scrollTo({ top: places.get(listKey) ?? 0, behavior: "instant" });
    const remember = (): void => void places.set(listKey, element.scrollTop);
    element.addEventListener("scroll", remember, { passive: true });
    return () => element.removeEventListener("scroll", remember);
  }, [scroller, listKey]);
}

/** J and K move the focus between rows; the link handles Enter. */
function useRowKeys(
  scroller: RefObject<HTMLElement | null>,
  rows: readonly RowProps[],
  scrollTo: (index: number) => void,
): void {
  const move = (by: 1 | -1): void => {
    const from = focusedRow(rows);
    const to = from === -1 ? 0 : Math.min(rows.length - 1, Math.max(0, from + by));
    const id = rows[to]?.session.id;
    if (id === undefined) return;
    scrollTo(to);
    // The row may be rendered only after the scroll.
    requestAnimationFrame(() =>
      scroller.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"]`)?.focus(),
    );
  };
  useShortcuts({
    j: () => move(1),
    k: () => move(-1),
    arrowdown: () => move(1),
    arrowup: () => move(-1),
    x: () => rows[focusedRow(rows)]?.onSelect({ range: false }),
    e: () => rows[focusedRow(rows)]?.onArchive(),
  });
}

/** The index of the focused row; -1 when there is none. */
function focusedRow(rows: readonly RowProps[]): number {
  const row = document.activeElement?.closest("li")?.querySelector("[data-row]");
  const id = row?.getAttribute("data-row");
  return rows.findIndex(({ session }) => session.id === id);
}
