import { useSyncExternalStore, type ReactElement } from "react";
import { currentTick, everyTick } from "./tick.ts";
import { absoluteTime, relativeTime } from "./time.ts";

/** How long ago, kept true while it is shown; exact when pointed at. */
export function RelativeTime({
  time,
  className,
}: {
  readonly time: string;
  readonly className?: string;
}): ReactElement {
  const nowMs = useSyncExternalStore(everyTick, currentTick);
  return (
    <time dateTime={time} title={absoluteTime(time)} className={className}>
      {relativeTime(time, nowMs)}
    </time>
  );
}
