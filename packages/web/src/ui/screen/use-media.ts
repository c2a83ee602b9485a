import { useCallback, useSyncExternalStore } from "react";

/** Whether the screen matches a media query now. */
export function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (changed: () => void) => {
      const list = matchMedia(query);
      list.addEventListener("change", changed);
      return () => list.removeEventListener("change", changed);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches);
}

/** Narrower screens get the layout of a phone. */
export const WIDE = "(min-width: 48rem)";
/** Wide enough for the list beside an open session. */
export const ROOM_FOR_LIST = "(min-width: 64rem)";
