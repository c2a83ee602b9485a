import { useMedia } from "./use-media.ts";

/** Phones, upright or on their side. */
const SMALL = "(max-width: 639px), (max-height: 500px)";

export function useSmallScreen(): boolean {
  return useMedia(SMALL);
}
