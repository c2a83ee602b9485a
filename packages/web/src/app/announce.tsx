import type { ReactElement } from "react";
import { createStore, useStore } from "../api/store.ts";

const announcement = createStore("");

/** Says something to those who hear the page. One sentence; the next one takes its place. */
export function announce(text: string): void {
  // A repeated sentence is heard only if it differs from what stands there.
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
