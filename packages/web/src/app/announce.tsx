import type { ReactElement } from "react";
import { createStore, useStore } from "../api/store.ts";

const announcement = createStore("");

/** Announces a sentence to screen readers; it replaces the previous one. */
export function announce(text: string): void {
  // Screen readers skip an unchanged text, so a repeated sentence gets an extra space.
  announcement.set(announcement.current() === text ? `${text}\u00a0` : text);
}

/** The page's one live region. */
export function StatusRegion(): ReactElement {
  const text = useStore(announcement);
  return (
    <output aria-live="polite" className="sr-only">
      {text}
    </output>
  );
}
