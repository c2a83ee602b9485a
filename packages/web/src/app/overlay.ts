import { useSyncExternalStore } from "react";

/** What lies over the page; at most one thing at a time. */
export type Overlay = "palette" | "shortcuts" | "new-session";

const listeners = new Set<() => void>();
let shown: Overlay | null = null;

export function openOverlay(overlay: Overlay): void {
  change(overlay);
}

export function closeOverlay(): void {
  change(null);
}

export function useOverlay(): Overlay | null {
  return useSyncExternalStore(subscribe, () => shown);
}

function change(next: Overlay | null): void {
  shown = next;
  for (const listener of listeners) listener();
}

function subscribe(changed: () => void): () => void {
  listeners.add(changed);
  return () => void listeners.delete(changed);
}
