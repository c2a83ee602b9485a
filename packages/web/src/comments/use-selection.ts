import { useState, type KeyboardEvent, type PointerEvent } from "react";
import type { LineRange } from "./line-comments.ts";

interface Selection {
  /** Where it began; the other end moves. */
  readonly anchor: number;
  readonly end: number;
}

export interface LineSelection {
  readonly range: LineRange | null;
  /** Whether a comment on the range is being written. */
  readonly isWriting: boolean;
  /** The line whose number is in the tab order. */
  readonly current: number | null;
  readonly select: (range: LineRange) => void;
  readonly clear: () => void;
  readonly onPointerDown: (index: number, event: PointerEvent) => void;
  readonly onPointerEnter: (index: number, event: PointerEvent) => void;
  readonly onClick: (index: number) => void;
  readonly onKeyDown: (index: number, event: KeyboardEvent<HTMLElement>) => void;
  readonly onFocus: (index: number) => void;
}

/** Lines of a diff are selected with the mouse, by dragging or with Shift, and with the arrow keys. */
export function useSelection(): LineSelection {
  const [selection, setSelection] = useState<Selection | null>(null);
  const [isWriting, setWriting] = useState(false);
  const [current, setCurrent] = useState<number | null>(null);
  const extend = (end: number): void => setSelection((now) => now && { ...now, end });
  return {
    range: selection && {
      from: Math.min(selection.anchor, selection.end),
      to: Math.max(selection.anchor, selection.end),
    },
    isWriting,
    current,
    select: ({ from, to }) => {
      setSelection({ anchor: from, end: to });
      setWriting(true);
    },
    clear: () => {
      setSelection(null);
      setWriting(false);
    },
    onPointerDown: (index, event) => {
      if (event.button !== 0) return;
      if (event.shiftKey && selection !== null) extend(index);
      else setSelection({ anchor: index, end: index });
      // The button may be released elsewhere.
      addEventListener("pointerup", () => setWriting(true), { once: true });
    },
    onPointerEnter: (index, event) => {
      if ((event.buttons & 1) === 1) extend(index);
    },
    onClick: (index) => {
      const isInside = selection !== null && isBetween(index, selection);
      if (!isInside) setSelection({ anchor: index, end: index });
      setWriting(true);
    },
    onKeyDown: (index, event) => {
      const next = neighbourOf(event);
      if (next === null) return;
      event.preventDefault();
      next.button.focus();
      if (!event.shiftKey) return;
      setSelection((now) => ({ anchor: now?.anchor ?? index, end: next.index }));
    },
    onFocus: setCurrent,
  };
}

function isBetween(index: number, { anchor, end }: Selection): boolean {
  return Math.min(anchor, end) <= index && index <= Math.max(anchor, end);
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

/** The number above or below, as an arrow key asks for it. */
function neighbourOf({
  key,
  currentTarget,
}: KeyboardEvent<HTMLElement>): { readonly button: HTMLElement; readonly index: number } | null {
  const step = STEPS[key];
  if (step === undefined) return null;
  const all = currentTarget.closest("figure")?.querySelectorAll<HTMLElement>("[data-index]") ?? [];
  const buttons = [...all];
  const button = buttons[buttons.indexOf(currentTarget) + step];
  return button === undefined ? null : { button, index: Number(button.dataset["index"]) };
}
