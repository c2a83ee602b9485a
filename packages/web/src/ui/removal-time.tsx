import { useSyncExternalStore, type ReactElement } from "react";
import { removalText } from "./removal-text.ts";
import { currentTick, everyTick } from "./tick.ts";
import { absoluteTime } from "./time.ts";

/** When a session is removed, kept true while it is shown; exact when pointed at. */
export function RemovalTime({ removeAt }: { readonly removeAt: string }): ReactElement {
  const nowMs = useSyncExternalStore(everyTick, currentTick);
  return (
    <time dateTime={removeAt} title={absoluteTime(removeAt)}>
      {removalText(removeAt, nowMs)}
    </time>
  );
}
