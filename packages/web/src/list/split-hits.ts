export interface Piece {
  readonly text: string;
  readonly isHit: boolean;
}

/** A text in pieces: those that begin a word and match what was searched for, and the others. */
export function splitHits(text: string, query: string): readonly Piece[] {
  const words = query.match(WORD)?.map(escaped) ?? [];
  if (words.length === 0 || text === "") return text === "" ? [] : [{ text, isHit: false }];
  const longestFirst = words.toSorted((one, other) => other.length - one.length);
  const hits = new RegExp(`(?<![\\p{L}\\p{N}])(?:${longestFirst.join("|")})`, "giu");
  const pieces: Piece[] = [];
  let end = 0;
  for (const { 0: hit, index } of text.matchAll(hits)) {
    if (index > end) pieces.push({ text: text.slice(end, index), isHit: false });
    pieces.push({ text: hit, isHit: true });
    end = index + hit.length;
  }
  if (end < text.length) pieces.push({ text: text.slice(end), isHit: false });
  return pieces;
}

const WORD = /[\p{L}\p{N}]+/gu;

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/gu, "\\$&");
}
