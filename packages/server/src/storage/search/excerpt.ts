import { plainText, SEARCHED_CHARACTERS } from "./search-words.ts";

/** A part of a text on one line. */
export interface Excerpt {
  readonly text: string;
  /** Positions of the search words, in order and without overlap; `end` is exclusive. */
  readonly marks: readonly Mark[];
}

interface Mark {
  readonly start: number;
  readonly end: number;
}

interface Hit extends Mark {
  readonly word: string;
}

const EXCERPT_CHARACTERS = 240;
const MAX_HITS = 1_000;
const CUT = "…";
/** Without the ellipses on both sides. */
const ROOM = EXCERPT_CHARACTERS - 2 * CUT.length;
/** At most this much of the room stays empty to avoid cutting a word. */
const MAX_UNUSED = 24;

/** The part of a text with the most different words. `words` are prefixes from `searchWords`. */
export function excerptOf(text: string, words: readonly string[]): Excerpt {
  const line = text
    .slice(0, SEARCHED_CHARACTERS)
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim();
  const hits = hitsIn(line, words);
  const { start, end } = around(line, densest(hits));
  const before = start > 0 ? CUT : "";
  const after = end < line.length ? CUT : "";
  const shift = before.length - start;
  return {
    text: before + line.slice(start, end) + after,
    marks: hits
      .filter((hit) => hit.end > start && hit.start < end)
      .map((hit) => ({
        start: Math.max(hit.start, start) + shift,
        end: Math.min(hit.end, end) + shift,
      })),
  };
}

/** The first words of the line with one of the prefixes, ignoring case and accents. */
function hitsIn(line: string, words: readonly string[]): readonly Hit[] {
  if (words.length === 0) return [];
  const { plain, positions } = normalized(line);
  const longestFirst = [...new Set(words)].toSorted((one, other) => other.length - one.length);
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(?:${longestFirst.join("|")})`, "gu");
  const hits: Hit[] = [];
  for (const { 0: word, index } of plain.matchAll(pattern)) {
    const start = positions[index] ?? 0;
    const last = positions[index + word.length - 1] ?? start;
    const next = positions[index + word.length] ?? line.length;
    // A character may normalize to several. It is marked whole if some of them match.
    const end = next > last ? next : last + characterAt(line, last).length;
    if (start >= (hits.at(-1)?.end ?? 0)) hits.push({ start, end, word });
    if (hits.length === MAX_HITS) break;
  }
  return hits;
}

/** The normalized text, and the original position of each of its characters and of its end. */
function normalized(line: string): {
  readonly plain: string;
  readonly positions: readonly number[];
} {
  let plain = "";
  let at = 0;
  const positions: number[] = [];
  for (const character of line) {
    const letters = plainText(character);
    for (let index = 0; index < letters.length; index += 1) positions.push(at);
    plain += letters;
    at += character.length;
  }
  positions.push(at);
  return { plain, positions };
}

/** The range of nearby hits with the most different words. */
function densest(hits: readonly Hit[]): Mark {
  let best: Mark & { readonly words: number } = { start: 0, end: 0, words: 0 };
  for (const [index, { start }] of hits.entries()) {
    const words = new Set<string>();
    let end = start;
    for (const hit of hits.slice(index)) {
      if (hit.end - start > ROOM && words.size > 0) break;
      words.add(hit.word);
      end = hit.end;
    }
    if (words.size > best.words) best = { start, end, words: words.size };
  }
  return best;
}

/** Extends a range to the available room, cut between words where possible. */
function around(line: string, { start: first, end: last }: Mark): Mark {
  const spare = Math.max(0, ROOM - (last - first));
  const atMost = Math.max(0, Math.min(first - Math.floor(spare / 3), line.length - ROOM));
  const gap = line.slice(atMost, Math.min(first, atMost + MAX_UNUSED)).indexOf(" ");
  const start = atMost === 0 || gap === -1 ? insideOf(line, atMost, 1) : atMost + gap + 1;
  const limit = Math.min(line.length, start + ROOM);
  if (limit === line.length) return { start, end: limit };
  const space = line.lastIndexOf(" ", limit);
  const isNear = space >= Math.max(last, limit - MAX_UNUSED);
  return { start, end: isNear ? space : insideOf(line, limit, -1) };
}

/** Never splits a surrogate pair. */
function insideOf(line: string, place: number, step: 1 | -1): number {
  const code = line.charCodeAt(place);
  return code >= 0xdc00 && code < 0xe000 ? place + step : place;
}

function characterAt(line: string, place: number): string {
  return String.fromCodePoint(line.codePointAt(place) ?? 0);
}
