import {
  type KeyboardEvent,
  type PointerEvent,
  type ReactElement,
  type ReactNode,
  useState,
} from "react";
import { pageStorage } from "../api/page-storage.ts";
import { classNames } from "./class-names.ts";

const STEP = 16;

/** A column beside the page whose width a person can change; this browser remembers it. */
export function Column({
  name,
  label,
  side,
  width,
  children,
}: {
  /** The key under which the width is stored. */
  readonly name: string;
  /** Names the handle, such as "Width of the list". */
  readonly label: string;
  /** Where the column stands; its handle is on the other side. */
  readonly side: "left" | "right";
  readonly width: Limits;
  readonly children: ReactNode;
}): ReactElement {
  const key = `holdfast:width:${name}`;
  const [current, setCurrent] = useState(() => within(Number(pageStorage.get(key) ?? NaN), width));
  const change = (next: number): void => {
    const value = within(next, width);
    setCurrent(value);
    pageStorage.set(key, String(value));
  };
  const outwards = side === "left" ? 1 : -1;

  const onKeyDown = (event: KeyboardEvent): void => {
    const next = {
      ArrowLeft: current - STEP * outwards,
      ArrowRight: current + STEP * outwards,
      Home: width.min,
      End: width.max,
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    change(next);
  };
  const onPointerDown = (event: PointerEvent<HTMLElement>): void => {
    event.preventDefault();
    const handle = event.currentTarget;
    const from = event.clientX;
    handle.setPointerCapture(event.pointerId);
    const onMove = ({ clientX }: globalThis.PointerEvent): void =>
      change(current + (clientX - from) * outwards);
    handle.addEventListener("pointermove", onMove);
    handle.addEventListener(
      "lostpointercapture",
      () => handle.removeEventListener("pointermove", onMove),
      { once: true },
    );
  };

  return (
    <div
      style={{ width: `${current}px` }}
      className={classNames(
        "relative flex min-h-0 shrink-0 flex-col border-line",
        side === "left" ? "border-r" : "border-l",
      )}
    >
      {children}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- a separator that can be moved is a widget */}
      <hr
        aria-label={label}
        aria-orientation="vertical"
        aria-valuenow={current}
        aria-valuemin={width.min}
        aria-valuemax={width.max}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keyboard moves it too
        tabIndex={0}
        onKeyDown={onKeyDown}
        onPointerDown={onPointerDown}
        onDoubleClick={() => change(width.usual)}
        className={classNames(
          "absolute inset-y-0 z-20 m-0 h-full w-2 border-0 cursor-col-resize touch-none hover:bg-accent/20 focus-visible:bg-accent/40 focus-visible:-outline-offset-2",
          side === "left" ? "-right-1" : "-left-1",
        )}
      />
    </div>
  );
}

export interface Limits {
  readonly min: number;
  readonly usual: number;
  readonly max: number;
}

function within(value: number, { min, usual, max }: Limits): number {
  return Number.isFinite(value) ? Math.round(Math.min(max, Math.max(min, value))) : usual;
}
