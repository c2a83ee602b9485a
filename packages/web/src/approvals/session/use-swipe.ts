import { type TouchEvent, useRef } from "react";

/** A shorter move is a tap or a scroll that went wrong. */
const SWIPE_PX = 60;

/** The handlers of an element that reacts to a swipe up or down. */
export function useSwipe(direction: "up" | "down", onSwipe: () => void) {
  const start = useRef<{ readonly x: number; readonly y: number } | null>(null);
  return {
    onTouchStart: ({ touches }: TouchEvent): void => {
      const touch = touches.item(0);
      start.current = touches.length === 1 ? { x: touch.clientX, y: touch.clientY } : null;
    },
    onTouchEnd: ({ changedTouches }: TouchEvent): void => {
      const from = start.current;
      start.current = null;
      if (from === null) return;
      const touch = changedTouches.item(0);
      const way = (touch.clientY - from.y) * (direction === "down" ? 1 : -1);
      if (way > SWIPE_PX && way > Math.abs(touch.clientX - from.x)) onSwipe();
    },
  };
}
