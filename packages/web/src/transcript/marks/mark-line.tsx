import { type ReactElement, useState } from "react";
import { absoluteTime } from "../../ui/time.ts";
import type { MarkRow } from "../rows.ts";
import { dayText, seenText } from "./mark-texts.ts";

/** The line between two days, or above what is new. */
export function MarkLine({ row: { mark, at } }: { readonly row: MarkRow }): ReactElement {
  const [now] = useState(() => new Date());
  return (
    <p className="mark-line" data-mark={mark}>
      <time dateTime={at} title={absoluteTime(at)}>
        {mark === "day" ? dayText(at, now) : `New since ${seenText(at, now)}`}
      </time>
    </p>
  );
}
