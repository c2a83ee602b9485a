import { createStore, useStore } from "../api/store.ts";

/** A layer over the page; at most one at a time. */
export type Overlay = "palette" | "shortcuts" | "new-session" | "compare";

const overlay = createStore<Overlay | null>(null);

export const openOverlay: (next: Overlay) => void = overlay.set;

export function closeOverlay(): void {
  overlay.set(null);
}

export function useOverlay(): Overlay | null {
  return useStore(overlay);
}
