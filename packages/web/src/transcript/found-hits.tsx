import { type RefObject, useEffect } from "react";
import { useStore } from "../api/store.ts";
import { type Find, type FindState, foldCase, type Hit, offsetsOf } from "./find.ts";
import type { TranscriptStore } from "./transcript-store.ts";
import { openAround } from "./use-place.ts";

interface FoundHitsProps {
  readonly store: TranscriptStore;
  readonly find: Find;
  readonly list: RefObject<HTMLElement | null>;
  readonly goTo: (index: number, align: "center") => void;
}

/** Highlights the hits and scrolls to the current one; renders nothing. */
export function FoundHits(props: FoundHitsProps): null {
  useFindHighlights(props.list, props.find);
  useFoundRow(props);
  return null;
}

const ALL = "find";
const CURRENT = "find-current";

/** Highlights the hits in the rendered rows without changing the DOM. */
function useFindHighlights(list: RefObject<HTMLElement | null>, find: Find): void {
  const state = useStore(find);
  useEffect(() => {
    const element = list.current;
    if (element === null || state.hits.length === 0 || !("highlights" in CSS)) return undefined;
    let frame: number | null = null;
    const paint = (): void => {
      frame = null;
      paintHits(element, state);
    };
    const observer = new MutationObserver(() => {
      frame ??= requestAnimationFrame(paint);
    });
    observer.observe(element, { childList: true, characterData: true, subtree: true });
    paint();
    return () => {
      observer.disconnect();
      if (frame !== null) cancelAnimationFrame(frame);
      CSS.highlights.delete(ALL);
      CSS.highlights.delete(CURRENT);
    };
  }, [list, state]);
}

function paintHits(list: HTMLElement, { query, hits, at }: FindState): void {
  const folded = foldCase(query.trim());
  const current = at === null ? undefined : hits[at];
  const all: Range[] = [];
  let currentRange: Range | null = null;
  const seen = new Map<string, number>();
  for (const row of list.querySelectorAll<HTMLElement>("[data-row]")) {
    for (const range of rangesIn(row, folded)) {
      const message = messageOf(range);
      const index = seen.get(message) ?? 0;
      seen.set(message, index + 1);
      all.push(range);
      if (current?.messageId === message && index <= current.index) currentRange = range;
    }
  }
  CSS.highlights.set(ALL, new Highlight(...all));
  if (currentRange === null) CSS.highlights.delete(CURRENT);
  else CSS.highlights.set(CURRENT, new Highlight(currentRange));
}

/** Tool calls are messages within a row. */
function messageOf({ startContainer }: Range): string {
  const element = startContainer.parentElement?.closest<HTMLElement>("[data-message]");
  return element?.dataset["message"] ?? "";
}

/** A hit can span several nodes: highlighting splits code into spans. */
function rangesIn(row: HTMLElement, folded: string): readonly Range[] {
  const nodes: { readonly node: Node; readonly start: number }[] = [];
  let text = "";
  const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    nodes.push({ node, start: text.length });
    text += node.nodeValue ?? "";
  }
  const ranges: Range[] = [];
  for (const at of offsetsOf(foldCase(text), folded)) {
    const range = document.createRange();
    const from = nodes.findLast(({ start }) => start <= at);
    const to = nodes.findLast(({ start }) => start < at + folded.length);
    if (from === undefined || to === undefined) continue;
    range.setStart(from.node, at - from.start);
    range.setEnd(to.node, at + folded.length - to.start);
    ranges.push(range);
  }
  return ranges;
}

const MAX_TRIES = 30;

/** Scrolls to the current hit and unfolds the rows around it. */
function useFoundRow({ store, find, list, goTo }: FoundHitsProps): void {
  const { query, hits, at } = useStore(find);
  useEffect(() => {
    const hit = at === null ? undefined : hits[at];
    if (hit === undefined) return undefined;
    const first = store.revealMessage(hit.messageId);
    const row = store.rows[first];
    if (row === undefined) return undefined;
    openAround(store, row, hit.messageId);
    let tries = 0;
    // Newly revealed rows are not measured yet, so scrolling is repeated until the hit is visible.
    const go = (): void => {
      goTo(rowOfHit(store, hit, query), "center");
      frame = requestAnimationFrame(() => {
        bringIntoView(list.current, hit.messageId);
        tries += 1;
        if (tries < MAX_TRIES && !isShown(list.current, hit.messageId)) go();
      });
    };
    let frame = requestAnimationFrame(go);
    return () => cancelAnimationFrame(frame);
    // The effect depends on the hit only.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [store, find, query, hits, at]);
}

/** The row of a long text that contains the hit. */
function rowOfHit(store: TranscriptStore, hit: Hit, query: string): number {
  const first = store.revealMessage(hit.messageId);
  const folded = foldCase(query.trim());
  let left = hit.index;
  for (let index = first; index < store.rows.length; index += 1) {
    const row = store.rows[index];
    if (row?.row !== "block" || row.messageId !== hit.messageId) break;
    if (row.from > 0) continue;
    left -= foldCase(row.block.raw).split(folded).length - 1;
    if (left < 0) return index;
  }
  return first;
}

function isShown(list: HTMLElement | null, messageId: string): boolean {
  const row = list?.querySelector(`[data-message="${CSS.escape(messageId)}"]`);
  if (list === null || row === null || row === undefined) return false;
  const [window, place] = [list.getBoundingClientRect(), row.getBoundingClientRect()];
  return place.bottom > window.top && place.top < window.bottom;
}

/** Scrolls to the tool call inside an activity higher than the screen. */
function bringIntoView(list: HTMLElement | null, messageId: string): void {
  const inside = list?.querySelector(`.row [data-message="${CSS.escape(messageId)}"]`);
  inside?.scrollIntoView({ block: "nearest" });
}
