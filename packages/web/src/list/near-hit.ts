import type { SearchHit } from "@holdfast/protocol";
import type { Piece } from "./split-hits.ts";

/** Characters before the first hit: it must be in sight on a phone, too. */
const BEFORE = 24;

/** A found text in pieces, from shortly before its first hit on. */
export function nearHit({ text, marks }: Pick<SearchHit, "text" | "marks">): readonly Piece[] {
  const first = marks[0]?.start ?? 0;
  const from = startBefore(text, first);
  const pieces: Piece[] = from === 0 ? [] : [{ text: "…", isHit: false }];
  let end = from;
  for (const mark of marks) {
    if (mark.start > end) pieces.push({ text: text.slice(end, mark.start), isHit: false });
    pieces.push({ text: text.slice(mark.start, mark.end), isHit: true });
    end = mark.end;
  }
  if (end < text.length) pieces.push({ text: text.slice(end), isHit: false });
  return pieces;
}

function startBefore(text: string, first: number): number {
  if (first <= BEFORE) return 0;
  const from = first - BEFORE;
  const gap = text.indexOf(" ", from);
  return gap === -1 || gap >= first ? first : gap + 1;
}
