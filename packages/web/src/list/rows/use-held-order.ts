import { type FocusEvent, type PointerEvent, useRef, useState } from "react";
import { type Entry, heldEntries, movedCount, standingsOf, type Standing } from "./groups.ts";

/** Keeps all entries in place while the pointer or the focus is among them. */
export function useHeldOrder(entries: readonly Entry[]) {
  const [stood, setStood] = useState<readonly Standing[] | null>(null);
  const inside = useRef({ pointer: false, focus: false });
  const shown = stood === null ? entries : heldEntries(stood, entries);
  const set = (change: Partial<typeof inside.current>): void => {
    Object.assign(inside.current, change);
    const isHeld = inside.current.pointer || inside.current.focus;
    setStood((before) => (isHeld ? (before ?? standingsOf(shown)) : null));
  };
  return {
    shown,
    /** How many sessions would move. */
    moved: stood === null ? 0 : movedCount(shown, entries),
    release: () => setStood(standingsOf(entries)),
    handlers: {
      // A finger has no place between two touches.
      onPointerEnter: ({ pointerType }: PointerEvent) => set({ pointer: pointerType === "mouse" }),
      onPointerLeave: () => set({ pointer: false }),
      onFocus: () => set({ focus: true }),
      onBlur: ({ currentTarget, relatedTarget }: FocusEvent) => {
        const stays = relatedTarget instanceof Node && currentTarget.contains(relatedTarget);
        if (!stays) set({ focus: false });
      },
    },
  };
}
