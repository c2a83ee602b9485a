import { createStore, useStore } from "../api/store.ts";

/** A layer over the page; at most one at a time. */
export type Overlay = "palette" | "shortcuts" | "new-session" | "compare" | "more";

/** What a new session begins with. */
export interface Start {
  readonly repoId?: string;
  readonly message?: string;
}

interface Opened {
  readonly overlay: Overlay;
  readonly start: Start;
}

const opened = createStore<Opened | null>(null);

export function openOverlay(overlay: Overlay, start: Start = {}): void {
  opened.set({ overlay, start });
}

export function closeOverlay(): void {
  opened.set(null);
}

export function useOverlay(): Opened | null {
  return useStore(opened);
}
