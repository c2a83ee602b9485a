import { pageStorage } from "../../api/page-storage.ts";
import { createStore, useStore } from "../../api/store.ts";

const KEY = "holdfast.list-hidden";

const isShown = createStore(pageStorage.get(KEY) === null);

/** Whether the list is beside an open session; this browser remembers it. */
export function useListShown(): boolean {
  return useStore(isShown);
}

export function toggleList(): void {
  const next = !isShown.current();
  isShown.set(next);
  pageStorage.set(KEY, next ? null : "yes");
}
