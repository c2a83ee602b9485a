import type { Session } from "@holdfast/protocol";
import { useEffect } from "react";
import { markSeen } from "../api/last-seen.ts";
import type { TranscriptStore } from "./transcript-store.ts";

/** Remembers until when this browser has shown the session. */
export function useSeen(
  { id, lastTurn: { at } }: Pick<Session, "id" | "lastTurn">,
  transcript: TranscriptStore,
): void {
  useEffect(() => {
    const mark = (): void => {
      const last = transcript.lastAt();
      markSeen(id, last !== null && last > at ? last : at);
    };
    const markIfShown = (): void => {
      if (document.visibilityState === "visible") mark();
    };
    markIfShown();
    addEventListener("pagehide", markIfShown);
    document.addEventListener("visibilitychange", mark);
    return () => {
      removeEventListener("pagehide", markIfShown);
      document.removeEventListener("visibilitychange", mark);
      markIfShown();
    };
  }, [id, at, transcript]);
}
