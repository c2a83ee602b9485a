import { useSyncExternalStore, type ReactElement } from "react";
import { absoluteTime, relativeTime } from "./time.ts";

const TICK_MS = 30_000;

/** A relative time that stays up to date; the tooltip is exact. */
export function RelativeTime({
  time,
  past,
  className,
}: {
  readonly time: string;
  /** Shown instead once a planned time has passed. */
  readonly past?: string;
  readonly className?: string;
}): ReactElement {
  const nowMs = useNow();
  return (
    <time dateTime={time} title={absoluteTime(time)} className={className}>
      {past !== undefined && Date.parse(time) <= nowMs ? past : relativeTime(time, nowMs)}
    </time>
  );
}

/** The current time, renewed twice a minute. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, currentTick);
}

function subscribe(changed: () => void): () => void {
  const timer = setInterval(changed, TICK_MS);
  return () => clearInterval(timer);
}

/** Rounded, so that the snapshot is stable between two ticks. */
function currentTick(): number {
  return Math.floor(Date.now() / TICK_MS) * TICK_MS;
}
