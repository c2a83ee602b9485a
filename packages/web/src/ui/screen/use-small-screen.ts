import { useSyncExternalStore } from "react";

/** Phones, upright or on their side. */
const SMALL = "(max-width: 639px), (max-height: 500px)";

export function useSmallScreen(): boolean {
  return useSyncExternalStore(subscribe, () => matchMedia(SMALL).matches);
}

function subscribe(listener: () => void): () => void {
  const query = matchMedia(SMALL);
  query.addEventListener("change", listener);
  return () => query.removeEventListener("change", listener);
}
