import { type RefObject, useEffect } from "react";
import type { TranscriptHandle } from "../transcript/transcript-list.tsx";

const END_PX = 24;
/** Rows of another width take some frames to be measured again. */
const FRAMES = 4;

/** When the room for the transcript changes, who was at its end stays there. */
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
    let frame: number | null = null;
    const look = (list: Element): void => {
      const isNear = list.scrollHeight - list.scrollTop - list.clientHeight <= END_PX;
      // Text that grows is far from its end for a moment: only who goes up has left it.
      if (isNear) isAtEnd = true;
      else if (isFirst || list.scrollTop < top - 1) isAtEnd = false;
      top = list.scrollTop;
    };
    const onScroll = ({ target }: Event): void => {
      if (target instanceof Element && target.role === "log") look(target);
    };
    const stay = (frames: number): void => {
      transcript.current?.scrollToEnd();
      frame = frames === 0 ? null : requestAnimationFrame(() => stay(frames - 1));
    };
    const observer = new ResizeObserver(() => {
      if (frame !== null) cancelAnimationFrame(frame);
      frame = null;
      const list = element.querySelector('[role="log"]');
      // The first word is how large it is, not that it has changed.
      if (isFirst && list !== null) look(list);
      else if (!isFirst && isAtEnd) stay(FRAMES);
      isFirst = false;
    });
    observer.observe(element);
    // Scrolling does not bubble.
    element.addEventListener("scroll", onScroll, { capture: true, passive: true });
    return () => {
      observer.disconnect();
      if (frame !== null) cancelAnimationFrame(frame);
      element.removeEventListener("scroll", onScroll, { capture: true });
    };
  }, [room, transcript]);
}

/**
 * Keeps the end of an element above a phone's keyboard. Some browsers make the page smaller when the
 * keyboard comes; the others only say how much of it is still seen.
 */
export function useKeyboardInset(element: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const { visualViewport: seen } = window;
    if (seen === null) return undefined;
    const fit = (): void => {
      const { current } = element;
      if (current === null) return;
      // A page that was zoomed into is smaller for another reason.
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
