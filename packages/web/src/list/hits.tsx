import type { ReactElement } from "react";
import { authorOf, type SearchHit, type Session } from "@holdfast/protocol";
import { nearHit, splitHits } from "./split-hits.ts";

/** A text with the search words highlighted. */
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

const SPEAKERS = { user: "You", agent: "Agent", system: "Notice" } as const;

/** An excerpt of the matching message, or the purpose of the session. */
export function FoundLine({
  session,
  name,
  hit,
  query,
  id,
}: {
  readonly session: Session;
  readonly name: string;
  readonly hit: SearchHit | null;
  readonly query: string;
  readonly id: string;
}): ReactElement | null {
  if (hit === null) {
    const { purpose } = session;
    if (purpose === null || purpose === name) return null;
    return (
      <p className="truncate text-xs text-muted">
        <Hits text={purpose} query={query} />
      </p>
    );
  }
  return (
    <p id={id} className="truncate text-xs text-muted">
      <span className="text-fg">{speakerOf(hit)}: </span>
      {hit.text === ""
        ? "a message too long to show"
        : nearHit(hit).map(({ text, isHit }, index) =>
            isHit ? (
              <mark key={index} className="text-fg">
                {text}
              </mark>
            ) : (
              text
            ),
          )}
    </p>
  );
}

function speakerOf({ role, type }: SearchHit): string {
  return SPEAKERS[authorOf({ role, content: { type: type ?? "" } })];
}
