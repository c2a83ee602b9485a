import type { ReactVirtualizer, VirtualItem } from "@tanstack/react-virtual";
import { type RefObject, useEffect, useLayoutEffect, useState } from "react";
import { openPageStorage } from "../api/page-storage.ts";
import { readPlace, savePlace, type Place } from "./place.ts";
import { callsAround, workKeyOf } from "../tools/family.ts";
import type { Row } from "./rows.ts";
import type { TranscriptStore } from "./transcript-store.ts";

export type TranscriptVirtualizer = ReactVirtualizer<HTMLElement, HTMLElement>;

const storage = openPageStorage(() => sessionStorage);

/** The message at the saved position; null at the end. */
export function savedMessage(sessionId: string): string | null {
  return readPlace(storage, sessionId)?.row?.messageId ?? null;
}

/** Restores the saved position and reveals its rows; null to start at the end. */
export function useSavedPlace(store: TranscriptStore): Place | null {
  const [place] = useState(() => {
    const saved = readPlace(storage, store.sessionId);
    if (saved === null) return null;
    for (const [key, open] of saved.opened) store.setOpen(key, open);
    if (saved.row !== null) store.revealMessage(saved.row.messageId);
    return saved;
  });
  return place;
}

/** The saved heights in the virtualiser's format. */
export function toMeasurements(place: Place | null): VirtualItem[] {
  return (place?.sizes ?? []).map(([key, size]) => ({
    key,
    size,
    index: 0,
    start: 0,
    end: size,
    lane: 0,
  }));
}

/** Above the first row. */
export const PADDING_START = 8;

/** The estimated height of the list. */
export function farDown({ rows }: TranscriptStore): number {
  return rows.reduce((sum, { estimate }) => sum + estimate, PADDING_START);
}

/** The initial scroll offset; null for the end. */
export function startOf({ rows }: TranscriptStore, place: Place | null): number | null {
  if (place === null || place.row === null) return null;
  const { key, messageId, offset } = place.row;
  const exact = rows.findIndex((row) => row.key === key);
  const index = exact === -1 ? rows.findIndex((row) => row.messageId === messageId) : exact;
  if (index === -1) return null;
  const sizes = new Map(place.sizes);
  const above = rows
    .slice(0, index)
    .reduce((sum, row) => sum + (sizes.get(row.key) ?? row.estimate), PADDING_START);
  return above + (exact === -1 ? 0 : offset);
}

/** Saves the position on leaving. */
export function useKeptPlace(store: TranscriptStore, virtualizer: TranscriptVirtualizer): void {
  useLayoutEffect(() => {
    const save = (): void => savePlace(storage, store.sessionId, currentPlace(store, virtualizer));
    addEventListener("pagehide", save);
    return () => {
      removeEventListener("pagehide", save);
      save();
    };
  }, [store, virtualizer]);
}

const AROUND = 100;

function currentPlace(store: TranscriptStore, virtualizer: TranscriptVirtualizer): Place {
  const at = virtualizer.scrollOffset ?? 0;
  const item =
    distanceFromEnd(virtualizer) < 2 ? undefined : virtualizer.getVirtualItemForOffset(at);
  const row = item === undefined ? undefined : store.rows[item.index];
  const middle = item?.index ?? store.rows.length;
  return {
    row:
      item === undefined || row === undefined
        ? null
        : { key: row.key, messageId: row.messageId, offset: at - item.start },
    sizes: virtualizer
      .takeSnapshot()
      .filter(({ index }) => Math.abs(index - middle) <= AROUND)
      .map(({ key, size }) => [String(key), size] as const),
    opened: store.openedByHand(),
  };
}

/** Uses the virtualiser's values: measuring the DOM would force a layout. */
export function distanceFromEnd(virtualizer: TranscriptVirtualizer): number {
  const height = virtualizer.scrollRect?.height ?? 0;
  return Math.max(0, virtualizer.getTotalSize() - height - (virtualizer.scrollOffset ?? 0));
}

/** Unfolds the activity around a message. */
export function openAround(store: TranscriptStore, row: Row, messageId: string): void {
  if (row.row !== "activity") return;
  if (row.messages.length > 1) store.setOpen(row.key, true);
  for (const call of callsAround(row.messages, messageId)) store.setOpen(workKeyOf(call), true);
  store.setOpen(messageId, true);
}

/** What a reader does to look at another place. */
const READER_EVENTS = ["wheel", "touchmove", "pointerdown", "keydown", "focusin"] as const;

/** Less is not looking at another place: not everything that moves the end a little is seen. */
const AWAY_PX = 100;

/** Stays at the end, from the moment the reader asks for it until the reader looks at another place. */
export interface StayAtEnd {
  readonly begin: () => void;
  readonly end: () => void;
  /** Scrolls again if rows were added or measured since. */
  readonly look: () => void;
  /** The list itself scrolls there. */
  readonly wrote: (top: number) => void;
}

interface StayOptions {
  readonly endPx: number;
  /** Whether to begin with the first rows, whose measuring takes several frames. */
  readonly isFromStart: boolean;
}

/**
 * A single scroll to the end can be too short: rows that are added or replaced before the browser reports the scroll do
 * not count as added at the end.
 */
export function useStayAtEnd(
  virtualizer: TranscriptVirtualizer,
  list: RefObject<HTMLElement | null>,
  { endPx, isFromStart }: StayOptions,
): StayAtEnd {
  const [stay] = useState(() => createStay(virtualizer, endPx));
  useLayoutEffect(() => {
    if (isFromStart) stay.begin();
    // Once.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [stay]);
  useLayoutEffect(() => stay.look());
  useEffect(() => {
    const element = list.current;
    const onScroll = (): void => {
      if (element !== null) stay.scrolled(element.scrollTop, element.clientHeight);
    };
    // Before the list itself, which would go back to the end.
    const first = { capture: true, passive: true };
    element?.addEventListener("scroll", onScroll, first);
    for (const type of READER_EVENTS) element?.addEventListener(type, stay.end, { passive: true });
    return () => {
      element?.removeEventListener("scroll", onScroll, first);
      for (const type of READER_EVENTS) element?.removeEventListener(type, stay.end);
    };
  }, [list, stay]);
  return stay;
}

function createStay(
  virtualizer: TranscriptVirtualizer,
  endPx: number,
): StayAtEnd & { readonly scrolled: (top: number, height: number) => void } {
  let isOn = false;
  let written = 0;
  /** At the last scroll. */
  let last = { top: 0, height: 0, total: 0 };
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
    wrote(to) {
      written = to;
    },
    /** Whatever else scrolls up, such as a program that helps the reader, looks at another place. */
    scrolled(top, height) {
      const total = virtualizer.getTotalSize();
      // The browser scrolls up when the list becomes shorter or its room higher.
      const needed = Math.max(0, height - last.height) + Math.max(0, last.total - total);
      const isOurs = Math.abs(top - written) <= 1;
      if (!isOurs && last.top - top - needed > AWAY_PX) isOn = false;
      last = { top, height, total };
    },
  };
}
