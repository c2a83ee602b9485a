import type { SearchHit } from "@holdfast/protocol";
export interface Piece {
  readonly text: string;
  readonly isHit: boolean;
}

/** Splits a text into hits, which start at a word, and the rest. */
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

/** Characters shown before the first hit, so that it is visible on a phone. */
const BEFORE = 24;

/** Splits an excerpt, starting shortly before its first hit. */
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
