import type { ReactElement, ReactNode } from "react";
import { classNames } from "./class-names.ts";

export type BadgeTone = "plain" | "accent" | "ok" | "warn" | "danger";

const TONES = {
  plain: "bg-sunken text-muted",
  accent: "bg-accent-soft text-accent",
  ok: "bg-ok-soft text-ok",
  warn: "bg-warn-soft text-warn",
  danger: "bg-danger-soft text-danger",
} as const satisfies Record<BadgeTone, string>;

export function Badge({
  tone,
  children,
}: {
  readonly tone: BadgeTone;
  readonly children: ReactNode;
}): ReactElement {
  return (
    <span
      className={classNames(
        "inline-flex items-center gap-1 rounded px-1.5 py-px text-xs font-medium whitespace-nowrap",
        TONES[tone],
      )}
    >
      {children}
    </span>
  );
}

/** A count; hidden when it is zero. */
export function Count({
  value,
  label,
  tone = "warn",
}: {
  readonly value: number;
  /** The unit, for screen readers. */
  readonly label: string;
  readonly tone?: BadgeTone;
}): ReactElement | null {
  if (value === 0) return null;
  return (
    <span
      className={classNames(
        "inline-flex h-4.5 min-w-4.5 items-center justify-center rounded-full px-1 text-2xs font-semibold tabular-nums",
        TONES[tone],
      )}
    >
      {value > 99 ? "99+" : value}
      <span className="sr-only"> {label}</span>
    </span>
  );
}
