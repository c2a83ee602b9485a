import type { ReactElement } from "react";
import { authorOf, type SearchHit, type Session } from "@holdfast/protocol";

interface Piece {
  readonly text: string;
  readonly isHit: boolean;
}

/** A text with the search words highlighted. */
export function Hits({
  text,
  query,
}: {
  readonly text: string;
  readonly query: string | undefined;
}): ReactElement {
  return query === undefined ? <>{text}</> : <Pieces pieces={splitHits(text, query)} />;
}

function Pieces({ pieces }: { readonly pieces: readonly Piece[] }): ReactElement {
  return (
    <>
      {pieces.map(({ text, isHit }, index) =>
        isHit ? (
          <mark key={index} className="text-fg">
            {text}
          </mark>
        ) : (
          text
        ),
      )}
    </>
  );
}

const SPEAKERS = { user: "You", agent: "Agent", system: "Notice" } as const;

/** An excerpt of the matching message, or the purpose of the session. */
export function HitLine({
  session: { purpose },
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
    if (purpose === null || purpose === name) return null;
    return (
      <p className="truncate text-xs text-muted">
        <Hits text={purpose} query={query} />
      </p>
    );
  }
  const { role, type, text } = hit;
  const speaker = SPEAKERS[authorOf({ role, content: { type: type ?? "" } })];
  return (
    <p id={id} className="truncate text-xs text-muted">
      <span className="text-fg">{speaker}: </span>
      {text === "" ? "a message too long to show" : <Pieces pieces={nearHit(hit)} />}
    </p>
  );
}

/** Splits a text into hits, which start at a word, and the rest. */
export function splitHits(text: string, query: string): readonly Piece[] {
  const words = query.match(/[\p{L}\p{N}]+/gu) ?? [];
  if (words.length === 0) return piecesOf(text, []);
  const longestFirst = words.toSorted((one, other) => other.length - one.length);
  const hits = new RegExp(`(?<![\\p{L}\\p{N}])(?:${longestFirst.join("|")})`, "giu");
  const marks = [...text.matchAll(hits)].map(({ 0: hit, index }) => ({
    start: index,
    end: index + hit.length,
  }));
  return piecesOf(text, marks);
}

/** Characters shown before the first hit, so that it is visible on a phone. */
const BEFORE = 24;

/** Splits an excerpt, starting shortly before its first hit. */
export function nearHit({ text, marks }: Pick<SearchHit, "text" | "marks">): readonly Piece[] {
  const from = startBefore(text, marks[0]?.start ?? 0);
  const pieces = piecesOf(text, marks, from);
  return from === 0 ? pieces : [{ text: "…", isHit: false }, ...pieces];
}

function piecesOf(text: string, marks: SearchHit["marks"], from = 0): readonly Piece[] {
  const pieces: Piece[] = [];
  let end = from;
  for (const mark of [...marks, { start: text.length, end: text.length }]) {
    if (mark.start > end) pieces.push({ text: text.slice(end, mark.start), isHit: false });
    if (mark.end > mark.start) pieces.push({ text: text.slice(mark.start, mark.end), isHit: true });
    end = mark.end;
  }
  return pieces;
}

function startBefore(text: string, first: number): number {
  if (first <= BEFORE) return 0;
  const from = first - BEFORE;
  const gap = text.indexOf(" ", from);
  return gap === -1 || gap >= first ? first : gap + 1;
}
