import { type RefObject, useEffect } from "react";
import { outbox } from "../composer/page-outbox.ts";
import type { TranscriptHandle } from "../transcript/transcript-list.tsx";

const END_PX = 24;

/** Keeps the transcript at its end when its size changes. */
export function useKeepEnd(
  room: RefObject<HTMLElement | null>,
  transcript: RefObject<TranscriptHandle | null>,
): void {
  useEffect(() => {
    const element = room.current;
    if (element === null) return undefined;
    let isFirst = true;
    let isAtEnd = true;
    let top = 0;
    const look = (list: Element): void => {
      const isNear = list.scrollHeight - list.scrollTop - list.clientHeight <= END_PX;
      // Growing text is away from the end for a moment; only scrolling up counts as leaving.
      if (isNear) isAtEnd = true;
      else if (isFirst || list.scrollTop < top - 1) isAtEnd = false;
      top = list.scrollTop;
    };
    const onScroll = ({ target }: Event): void => {
      if (target instanceof Element && target.role === "log") look(target);
    };
    const observer = new ResizeObserver(() => {
      const list = element.querySelector('[role="log"]');
      // The first call reports the initial size.
      if (isFirst && list !== null) look(list);
      else if (!isFirst && isAtEnd) transcript.current?.scrollToEnd();
      isFirst = false;
    });
    observer.observe(element);
    // Scroll events do not bubble.
    element.addEventListener("scroll", onScroll, { capture: true, passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", onScroll, { capture: true });
    };
  }, [room, transcript]);
}

/** A message that was just sent is shown, wherever the reader was. */
export function useEndAfterSending(
  sessionId: string,
  transcript: RefObject<TranscriptHandle | null>,
): void {
  useEffect(() => {
    let count = outbox.of(sessionId).length;
    return outbox.subscribe(() => {
      const before = count;
      count = outbox.of(sessionId).length;
      if (count > before) transcript.current?.scrollToEnd();
    });
  }, [sessionId, transcript]);
}

/**
 * Keeps the end of an element above the on-screen keyboard. Some browsers resize the page for the keyboard; others
 * only report the visible part.
 */
export function useKeyboardInset(element: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const { visualViewport: seen } = window;
    if (seen === null) return undefined;
    const fit = (): void => {
      const { current } = element;
      if (current === null) return;
      // Zooming also shrinks the viewport.
      if (seen.scale > 1.01) return;
      current.style.paddingBottom = "0px";
      const hidden = current.getBoundingClientRect().bottom - (seen.offsetTop + seen.height);
      current.style.paddingBottom = hidden > 1 ? `${Math.round(hidden)}px` : "";
    };
    seen.addEventListener("resize", fit);
    seen.addEventListener("scroll", fit);
    return () => {
      seen.removeEventListener("resize", fit);
      seen.removeEventListener("scroll", fit);
    };
  }, [element]);
}
