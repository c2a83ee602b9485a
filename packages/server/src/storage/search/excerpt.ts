import { plainText, SEARCHED_CHARACTERS } from "./search-words.ts";

/** A part of a text, on one line. */
export interface Excerpt {
  readonly text: string;
  /** Where words are that were searched for, in order, none over another; `end` is behind them. */
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
/** Without the signs that something is left out on both sides. */
const ROOM = EXCERPT_CHARACTERS - 2 * CUT.length;
/** Of the room, at most this is left empty so that no word is cut. */
const GIVEN_UP = 24;

/** What a text says where most of the words are: `words` as `searchWords` gives them, each a beginning. */
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

/** The first words of the line that begin as one of those looked for, whatever their case and accents. */
function hitsIn(line: string, words: readonly string[]): readonly Hit[] {
  if (words.length === 0) return [];
  const { plain, places } = withPlaces(line);
  const longestFirst = [...new Set(words)].toSorted((one, other) => other.length - one.length);
  const wanted = new RegExp(`(?<![\\p{L}\\p{N}])(?:${longestFirst.join("|")})`, "gu");
  const hits: Hit[] = [];
  for (const { 0: word, index } of plain.matchAll(wanted)) {
    const start = places[index] ?? 0;
    const last = places[index + word.length - 1] ?? start;
    const next = places[index + word.length] ?? line.length;
    // A character may stand for several: where only some of them are meant, it is marked whole.
    const end = next > last ? next : last + characterAt(line, last).length;
    if (start >= (hits.at(-1)?.end ?? 0)) hits.push({ start, end, word });
    if (hits.length === MAX_HITS) break;
  }
  return hits;
}

/** The text as it is searched, and for each of its characters, and its end, the place it comes from. */
function withPlaces(line: string): { readonly plain: string; readonly places: readonly number[] } {
  let plain = "";
  let at = 0;
  const places: number[] = [];
  for (const character of line) {
    const said = plainText(character);
    for (let index = 0; index < said.length; index += 1) places.push(at);
    plain += said;
    at += character.length;
  }
  places.push(at);
  return { plain, places };
}

/** From the first to the last of the hits that are close together and have the most different words. */
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

/** As much as there is room for around a part of the line, cut between words where that is possible. */
function around(line: string, { start: first, end: last }: Mark): Mark {
  const spare = Math.max(0, ROOM - (last - first));
  const atMost = Math.max(0, Math.min(first - Math.floor(spare / 3), line.length - ROOM));
  const gap = line.slice(atMost, Math.min(first, atMost + GIVEN_UP)).indexOf(" ");
  const start = atMost === 0 || gap === -1 ? insideOf(line, atMost, 1) : atMost + gap + 1;
  const wanted = Math.min(line.length, start + ROOM);
  if (wanted === line.length) return { start, end: wanted };
  const space = line.lastIndexOf(" ", wanted);
  const isNear = space >= Math.max(last, wanted - GIVEN_UP);
  return { start, end: isNear ? space : insideOf(line, wanted, -1) };
}

/** Never between the halves of a character. */
function insideOf(line: string, place: number, step: 1 | -1): number {
  const code = line.charCodeAt(place);
  return code >= 0xdc00 && code < 0xe000 ? place + step : place;
}

function characterAt(line: string, place: number): string {
  return String.fromCodePoint(line.codePointAt(place) ?? 0);
}
