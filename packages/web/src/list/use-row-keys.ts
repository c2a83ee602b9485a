import type { RefObject } from "react";
import { useShortcuts } from "../app/use-shortcuts.ts";

/** J and K move the focus from row to row; Enter is the link's own. */
export function useRowKeys({
  scroller,
  keys,
  scrollTo,
  onSelect,
  onArchive,
}: {
  readonly scroller: RefObject<HTMLElement | null>;
  readonly keys: readonly string[];
  readonly scrollTo: (index: number) => void;
  readonly onSelect: (id: string) => void;
  readonly onArchive: (id: string) => void;
}): void {
  const move = (by: 1 | -1): void => {
    const current = focusedRow();
    const from = current === null ? -1 : keys.indexOf(current);
    const to = from === -1 ? 0 : Math.min(keys.length - 1, Math.max(0, from + by));
    const id = keys[to];
    if (id === undefined) return;
    scrollTo(to);
    // The row may be drawn only after the list was scrolled.
    requestAnimationFrame(() => focusRow(scroller.current, id));
  };
  const onFocused = (act: (id: string) => void) => () => {
    const id = focusedRow();
    if (id !== null) act(id);
  };
  useShortcuts({
    j: () => move(1),
    k: () => move(-1),
    arrowdown: () => move(1),
    arrowup: () => move(-1),
    x: onFocused(onSelect),
    e: onFocused(onArchive),
  });
}

function focusedRow(): string | null {
  const row = document.activeElement?.closest("li")?.querySelector("[data-row]");
  return row?.getAttribute("data-row") ?? null;
}

function focusRow(list: HTMLElement | null, id: string): void {
  list?.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"]`)?.focus();
}
