import { useVirtualizer } from "@tanstack/react-virtual";
import {
  type ReactElement,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
} from "react";
import { statusWord } from "../../api/status-word.ts";
import { useShortcuts } from "../../app/use-shortcuts.ts";
import { useVerbs } from "../../app/verbs.ts";
import { useMedia, WIDE } from "../../ui/screen/use-media.ts";
import { RowAnswer } from "../answer/row-answer.tsx";
import { useWatchedSteps } from "../steps/use-steps.ts";
import type { Group } from "./groups.ts";
import { type Line, useKeepPlace } from "./keep-place.ts";
import { type ListLook, type RowProps, SessionRow } from "./session-row.tsx";

const HEADING_HEIGHT = 32;
const ROW_HEIGHTS = { page: 60, column: 52, phone: 64 } as const;
/** The line of the matching message. */
const HIT_HEIGHT = 22;
const LOAD_AHEAD = 15;

/** The scroll position of each list, restored when navigating back. */
const places = new Map<string, number>();

export interface GroupedRow extends RowProps {
  /** Null if the list has no groups. */
  readonly group: Group | null;
}

interface ShownLine extends Line {
  readonly heading: Group | null;
  readonly row: GroupedRow | null;
  /** The number of the row; that of the next row for a heading. */
  readonly index: number;
}

export function SessionRows({
  rows,
  look,
  listKey,
  hasMore,
  onLoadMore,
  answeredId,
  onAnswerClose,
}: {
  readonly rows: readonly GroupedRow[];
  readonly look: ListLook;
  /** Identifies the list; a new one starts at the top. */
  readonly listKey: string;
  readonly hasMore: boolean;
  readonly onLoadMore: () => void;
  /** The session whose requests are shown over the list. */
  readonly answeredId: string | null;
  readonly onAnswerClose: () => void;
}): ReactElement {
  const scroller = useRef<HTMLDivElement>(null);
  const rowHeight = useRowHeight(look, rows[0]?.query !== undefined);
  const lines = useMemo(() => linesOf(rows, rowHeight), [rows, rowHeight]);
  const virtualizer = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => lines[index]?.height ?? rowHeight,
    getItemKey: (index) => lines[index]?.key ?? index,
    overscan: 8,
    initialOffset: () => places.get(listKey) ?? 0,
  });
  useRememberedPlace(scroller, listKey);
  useLayoutEffect(() => virtualizer.measure(), [virtualizer, lines]);
  /** The row that gets the focus with the next frame. Keys that come before it count from there. */
  const moving = useRef<string | null>(null);
  const currentId = useCallback(() => moving.current ?? focusedId(scroller.current), []);
  useKeepPlace(scroller, lines, currentId);
  const items = virtualizer.getVirtualItems();
  const { startIndex = 0, endIndex = -1 } = virtualizer.range ?? {};
  const visible = lines.slice(startIndex, endIndex + 1);
  useWatchedSteps(visible.flatMap(({ row }) => (row === null ? [] : [row.session])));
  const lastShown = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && lastShown >= lines.length - LOAD_AHEAD) onLoadMore();
  }, [hasMore, lastShown, lines.length, onLoadMore]);
  const focus = (id: string | undefined): void => {
    const index = lines.findIndex(({ key }) => key === id);
    if (id === undefined || index === -1) return;
    virtualizer.scrollToIndex(index, { align: "auto" });
    moving.current = id;
    // The row may be rendered only after the scroll.
    requestAnimationFrame(() => {
      rowLink(scroller.current, id)?.focus();
      if (moving.current === id) moving.current = null;
    });
  };
  useArrowKeys(scroller, { rows, currentId, focus });
  const openId = rows.find(({ isOpen }) => isOpen)?.session.id ?? null;
  useEffect(() => {
    const index = lines.findIndex(({ key }) => key === openId);
    if (index !== -1) virtualizer.scrollToIndex(index, { align: "auto" });
    // oxlint-disable-next-line react/exhaustive-deps -- only when another session is opened, not when rows move
  }, [openId, virtualizer]);
  return (
    <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto overscroll-contain">
      {look === "page" && <RowKeys {...{ rows, currentId, focus }} />}
      {answeredId !== null && (
        <RowAnswer key={answeredId} id={answeredId} onClose={onAnswerClose} {...{ rows, focus }} />
      )}
      <ul aria-label="Sessions" className="relative" style={{ height: virtualizer.getTotalSize() }}>
        {items.map(({ index, key, start }) => {
          const line = lines[index];
          if (line === undefined) return null;
          const { heading, row, height } = line;
          return (
            <li
              key={key}
              {...(row !== null && {
                "aria-posinset": line.index + 1,
                "aria-setsize": hasMore ? -1 : rows.length,
              })}
              className="absolute inset-x-0 top-0"
              style={{ height, transform: `translateY(${start}px)` }}
            >
              {heading !== null && <GroupHeading name={heading} look={look} />}
              {row !== null && <SessionRow {...row} />}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function GroupHeading({
  name,
  look,
}: {
  readonly name: Group;
  readonly look: ListLook;
}): ReactElement {
  return (
    <h2
      className={
        "flex h-full items-end pb-1 text-xs font-semibold text-muted " +
        (look === "page" ? "px-4" : "px-3")
      }
    >
      {name}
    </h2>
  );
}

function useRowHeight(look: ListLook, hasHits: boolean): number {
  const isWide = useMedia(WIDE);
  return ROW_HEIGHTS[isWide ? look : "phone"] + (hasHits ? HIT_HEIGHT : 0);
}

function linesOf(rows: readonly GroupedRow[], height: number): readonly ShownLine[] {
  return rows.flatMap((row, index) => {
    const { group, session } = row;
    const line = { key: session.id, height, heading: null, row, index };
    const isFirst = group !== null && rows[index - 1]?.group !== group;
    if (!isFirst) return [line];
    return [{ key: group, height: HEADING_HEIGHT, heading: group, row: null, index }, line];
  });
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

interface Keys {
  readonly rows: readonly GroupedRow[];
  /** The session of the row that has the focus, or gets it. */
  readonly currentId: () => string | null;
  readonly focus: (id: string | undefined) => void;
}

/** The keys of the list page. Beside an open session, letters belong to the message. */
function RowKeys({ rows, currentId, focus }: Keys): null {
  const focused = (): number => indexOf(rows, currentId());
  const move = (by: 1 | -1): void => focus(neighbour(rows, focused(), by));
  const select = (): void => {
    const row = rows[focused()];
    row?.actions.select(row.session.id, { range: false });
  };
  const archive = (): void => {
    const from = focused();
    const row = rows[from];
    const selected = rows.filter(({ isSelected }) => isSelected);
    const leaving = selected.length > 0 || row === undefined ? selected : [row];
    const ids = leaving.map(({ session }) => session.id);
    const stays = ({ session }: GroupedRow): boolean => !ids.includes(session.id);
    const start = Math.max(0, from);
    const next = rows.slice(start).find(stays) ?? rows.slice(0, start).findLast(stays);
    leaving[0]?.actions.archive(ids, () => focus(next?.session.id));
  };
  /** The requests of the focused row, or the first ones. */
  const answer = (): void => {
    const from = focused();
    const row = from === -1 ? rows.find(needsYou) : rows[from];
    if (row !== undefined && needsYou(row)) row.actions.answer(row.session.id);
  };
  useVerbs(
    "List",
    rows.some(needsYou) ? [{ label: "Answer a request", keys: "A", onSelect: answer }] : [],
  );
  useShortcuts({
    j: () => move(1),
    k: () => move(-1),
    arrowdown: () => move(1),
    arrowup: () => move(-1),
    x: select,
    e: archive,
    a: answer,
  });
  return null;
}

function needsYou({ session }: GroupedRow): boolean {
  return statusWord(session) === "Needs you";
}

/** The arrow keys move the focus that is already in the list. */
function useArrowKeys(scroller: RefObject<HTMLElement | null>, keys: Keys): void {
  const latest = useRef(keys);
  useEffect(() => {
    latest.current = keys;
  });
  useEffect(() => {
    const { current: element } = scroller;
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
      if (event.altKey || event.ctrlKey || event.metaKey) return;
      const { rows, currentId, focus } = latest.current;
      const from = indexOf(rows, currentId());
      if (from === -1) return;
      event.preventDefault();
      const by = event.key === "ArrowDown" ? 1 : -1;
      focus(neighbour(rows, from, by));
    };
    element?.addEventListener("keydown", onKey);
    return () => element?.removeEventListener("keydown", onKey);
  }, [scroller]);
}

function neighbour(rows: readonly GroupedRow[], from: number, by: 1 | -1): string | undefined {
  const to = from === -1 ? 0 : Math.min(rows.length - 1, Math.max(0, from + by));
  return rows[to]?.session.id;
}

function indexOf(rows: readonly GroupedRow[], id: string | null): number {
  return rows.findIndex(({ session }) => session.id === id);
}

function rowLink(list: HTMLElement | null, id: string): HTMLElement | null {
  return list?.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"]`) ?? null;
}

/** The session of the row that has the focus. */
function focusedId(list: HTMLElement | null): string | null {
  const { activeElement } = document;
  if (list === null || activeElement === null || !list.contains(activeElement)) return null;
  const row = activeElement.closest("li")?.querySelector("[data-row]");
  return row?.getAttribute("data-row") ?? null;
}
