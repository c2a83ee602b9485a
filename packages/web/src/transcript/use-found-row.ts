import { useEffect, useSyncExternalStore, type RefObject } from "react";
import { foldCase, type Find, type Hit } from "./find.ts";
import { openAround } from "./open-around.ts";
import type { TranscriptStore } from "./transcript-store.ts";

const MAX_TRIES = 30;

/** Goes to the hit that is looked at, opening what it is folded into. */
export function useFoundRow({
  store,
  find,
  list,
  goTo,
}: {
  readonly store: TranscriptStore;
  readonly find: Find;
  readonly list: RefObject<HTMLElement | null>;
  readonly goTo: (index: number, align: "center") => void;
}): void {
  const { query, hits, at } = useSyncExternalStore(find.subscribe, find.getSnapshot);
  useEffect(() => {
    const hit = at === null ? undefined : hits[at];
    if (hit === undefined) return undefined;
    const first = store.revealMessage(hit.messageId);
    const row = store.rows[first];
    if (row === undefined) return undefined;
    openAround(store, row, hit.messageId);
    let tries = 0;
    // Rows that were just revealed are not measured yet: it goes there until it is there.
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
    // Where it goes depends on the hit only.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [store, find, query, hits, at]);
}

/** Of a long text, the row that has the hit. */
function rowOfHit(store: TranscriptStore, hit: Hit, query: string): number {
  const first = store.revealMessage(hit.messageId);
  const wanted = foldCase(query.trim());
  let left = hit.index;
  for (let index = first; index < store.rows.length; index += 1) {
    const row = store.rows[index];
    if (row?.row !== "block" || row.messageId !== hit.messageId) break;
    if (row.from > 0) continue;
    left -= foldCase(row.block.raw).split(wanted).length - 1;
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

/** Within an activity that is higher than the screen, to the use of the tool that has it. */
function bringIntoView(list: HTMLElement | null, messageId: string): void {
  const inside = list?.querySelector(`.row [data-message="${CSS.escape(messageId)}"]`);
  inside?.scrollIntoView({ block: "nearest" });
}
