import { useEffect, useSyncExternalStore, type RefObject } from "react";
import { foldCase, type Find, type FindState } from "./find.ts";

const ALL = "find";
const CURRENT = "find-current";

/** Marks what is found in the rows that are on the screen, without touching them. */
export function useFindHighlights(list: RefObject<HTMLElement | null>, find: Find): void {
  const state = useSyncExternalStore(find.subscribe, find.getSnapshot);
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
  const wanted = foldCase(query.trim());
  const current = at === null ? undefined : hits[at];
  const all: Range[] = [];
  let currentRange: Range | null = null;
  const seen = new Map<string, number>();
  for (const row of list.querySelectorAll<HTMLElement>("[data-row]")) {
    for (const range of rangesIn(row, wanted)) {
      const message = messageOf(range);
      const index = seen.get(message) ?? 0;
      seen.set(message, index + 1);
      all.push(range);
      const isLater = current?.messageId === message && index <= current.index;
      if (isLater) currentRange = range;
    }
  }
  CSS.highlights.set(ALL, new Highlight(...all));
  if (currentRange === null) CSS.highlights.delete(CURRENT);
  else CSS.highlights.set(CURRENT, new Highlight(currentRange));
}

/** Uses of tools are messages within a row. */
function messageOf({ startContainer }: Range): string {
  const element = startContainer.parentElement?.closest<HTMLElement>("[data-message]");
  return element?.dataset["message"] ?? "";
}

/** A hit may go over several nodes: code is cut into pieces by its colours. */
function rangesIn(row: HTMLElement, wanted: string): readonly Range[] {
  const nodes: { readonly node: Node; readonly start: number }[] = [];
  let text = "";
  const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    nodes.push({ node, start: text.length });
    text += node.nodeValue ?? "";
  }
  const folded = foldCase(text);
  const ranges: Range[] = [];
  for (
    let at = folded.indexOf(wanted);
    at !== -1;
    at = folded.indexOf(wanted, at + wanted.length)
  ) {
    const range = document.createRange();
    const from = nodes.findLast(({ start }) => start <= at);
    const to = nodes.findLast(({ start }) => start < at + wanted.length);
    if (from === undefined || to === undefined) continue;
    range.setStart(from.node, at - from.start);
    range.setEnd(to.node, at + wanted.length - to.start);
    ranges.push(range);
  }
  return ranges;
}
