import { useSyncExternalStore, type ReactElement } from "react";

const listeners = new Set<() => void>();
let said = "";

/** Says something to those who hear the page. One sentence; the next one takes its place. */
export function announce(text: string): void {
  // A repeated sentence is heard only if it differs from what stands there.
  said = said === text ? `${text}\u00a0` : text;
  for (const listener of listeners) listener();
}

/** The page's one live region. */
export function StatusRegion(): ReactElement {
  const text = useSyncExternalStore(subscribe, () => said);
  return (
    <output aria-live="polite" className="sr-only">
      {text}
    </output>
  );
}

function subscribe(changed: () => void): () => void {
  listeners.add(changed);
  return () => void listeners.delete(changed);
}
