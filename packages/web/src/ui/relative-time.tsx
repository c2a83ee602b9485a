import { useSyncExternalStore, type ReactElement } from "react";
import { absoluteTime, relativeTime } from "./time.ts";

const TICK_MS = 30_000;

/** How long ago, kept true while it is shown; exact when pointed at. */
export function RelativeTime({
  time,
  past,
  className,
}: {
  readonly time: string;
  /** In place of a time that is over: it is a plan. */
  readonly past?: string;
  readonly className?: string;
}): ReactElement {
  const nowMs = useSyncExternalStore(subscribe, currentTick);
  return (
    <time dateTime={time} title={absoluteTime(time)} className={className}>
      {past !== undefined && Date.parse(time) <= nowMs ? past : relativeTime(time, nowMs)}
    </time>
  );
}

function subscribe(changed: () => void): () => void {
  const timer = setInterval(changed, TICK_MS);
  return () => clearInterval(timer);
}

/** Rounded, so that it stays the same between two ticks. */
function currentTick(): number {
  return Math.floor(Date.now() / TICK_MS) * TICK_MS;
}
