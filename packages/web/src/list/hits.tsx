import type { ReactElement } from "react";
import { splitHits } from "./split-hits.ts";

/** A text with what was searched for marked in it. */
export function Hits({
  text,
  query,
}: {
  readonly text: string;
  readonly query: string | undefined;
}): ReactElement {
  if (query === undefined) return <>{text}</>;
  return (
    <>
      {splitHits(text, query).map((piece, index) =>
        piece.isHit ? (
          <mark key={index} className="text-fg">
            {piece.text}
          </mark>
        ) : (
          piece.text
        ),
      )}
    </>
  );
}
