import { useEffect, useRef, type RefObject } from "react";
import { usePlace } from "../app/router.ts";
import type { TranscriptHandle } from "../transcript/transcript-list.tsx";
import { showToast } from "../ui/toast.ts";

/** Goes to the message that the address names. */
export function usePermalink(transcript: RefObject<TranscriptHandle | null>): void {
  const place = usePlace();
  const messageId = place?.page === "session" ? (place.hash ?? null) : null;
  const went = useRef<string | null>(null);
  useEffect(() => {
    if (messageId === null || went.current === messageId || messageId === "page") return;
    went.current = messageId;
    const isThere = transcript.current?.scrollToMessage(messageId);
    if (isThere === false) void showToast({ text: "There is no such message in this session" });
  }, [messageId, transcript]);
}
