import { type TouchEvent, useRef } from "react";

/** A shorter move is a tap or a scroll that went wrong. */
const SWIPE_PX = 60;

/** Right and down are positive. */
const WAYS = {
  up: { x: 0, y: -1 },
  down: { x: 0, y: 1 },
  left: { x: -1, y: 0 },
} as const;

/** The handlers of an element that reacts to a swipe. */
export function useSwipe(direction: keyof typeof WAYS, onSwipe: () => void) {
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
      const moved = { x: touch.clientX - from.x, y: touch.clientY - from.y };
      const { x, y } = WAYS[direction];
      const way = moved.x * x + moved.y * y;
      const aside = Math.abs(moved.x * y) + Math.abs(moved.y * x);
      if (way > SWIPE_PX && way > aside) onSwipe();
    },
  };
}
