/** Finds the forms of secrets. */
export interface Finder {
  /** The parts of a text that are forms, in order. Parts that touch or overlap are one. */
  find(text: string): readonly Part[];
  /** The longest end of a text with which a form begins; null if it has fewer than four characters. */
  beginning(text: string): Beginning | null;
  /** The length of the longest form. */
  readonly longest: number;
}

/** Finds any of many texts in one pass. */
export interface Matcher extends Finder {
  /** Texts of fewer than eight characters are ignored: they are parts of many words. */
  add(form: string): void;
}

export interface Part {
  readonly start: number;
  readonly end: number;
}

export interface Beginning {
  readonly start: number;
  /** Whether it is so much of the form that it must not be shown. */
  readonly isTelling: boolean;
}

const SHORTEST = 8;
/** Fewer characters say nothing about a secret, and are the end of many texts. */
const SHORTEST_BEGINNING = 4;

const BLOCK = 3;
const LARGEST_SHIFT = SHORTEST - BLOCK + 1;
const SLOT_BITS = 17;
const NONE: readonly Part[] = [];

/**
 * The algorithm of Wu and Manber: it looks at the last three characters of a window of eight. If no form has them, it
 * moves on by up to six characters at once, so that text without secrets costs little.
 */
export function createMatcher(): Matcher {
  const shifts = new Uint8Array(1 << SLOT_BITS).fill(LARGEST_SHIFT);
  const candidates = new Map<number, string[]>();
  const beginnings = new Map<string, string[]>();
  const known = new Set<string>();
  let longest = 0;

  const longestAt = (text: string, slot: number, start: number): number => {
    let length = 0;
    for (const form of candidates.get(slot) ?? []) {
      if (form.length > length && text.startsWith(form, start)) length = form.length;
    }
    return length;
  };

  return {
    add(form) {
      if (form.length < SHORTEST || known.has(form)) return;
      known.add(form);
      longest = Math.max(longest, form.length);
      for (let at = 0; at < LARGEST_SHIFT; at += 1) {
        const slot = slotOf(form, at);
        shifts[slot] = Math.min(shifts[slot] ?? 0, LARGEST_SHIFT - 1 - at);
      }
      push(candidates, slotOf(form, LARGEST_SHIFT - 1), form);
      push(beginnings, form.slice(0, SHORTEST_BEGINNING), form);
    },
    find(text) {
      let parts: Part[] | null = null;
      // The place of the last block of the window.
      let at = LARGEST_SHIFT - 1;
      const last = text.length - BLOCK;
      while (at <= last) {
        const slot = slotOf(text, at);
        const shift = shifts[slot] ?? 0;
        if (shift > 0) {
          at += shift;
          continue;
        }
        const start = at - LARGEST_SHIFT + 1;
        const length = longestAt(text, slot, start);
        if (length > 0) addPart((parts ??= []), { start, end: start + length });
        at += 1;
      }
      return parts ?? NONE;
    },
    beginning(text) {
      const { length } = text;
      const from = Math.max(0, length - longest + 1);
      let code =
        (text.charCodeAt(from) & ASCII) * (ASCII + 1) + (text.charCodeAt(from + 1) & ASCII);
      for (let start = from; start <= length - SHORTEST_BEGINNING; start += 1) {
        code = nextCode(code, text.charCodeAt(start + 2));
        // Most places are ruled out by the table, without a substring.
        if ((shifts[slotOfCode(code)] ?? 0) === LARGEST_SHIFT) continue;
        const forms = beginnings.get(text.slice(start, start + SHORTEST_BEGINNING));
        if (forms === undefined) continue;
        const end = text.slice(start);
        const begun = forms.filter((form) => form.length > end.length && form.startsWith(end));
        if (begun.length === 0) continue;
        const isTelling = begun.some(
          (form) => end.length >= SHORTEST && end.length * 4 >= form.length,
        );
        return { start, isTelling };
      }
      return null;
    },
    get longest() {
      return longest;
    },
  };
}

/** Adds a part that does not begin before the others. */
export function addPart(parts: Part[], part: Part): void {
  const before = parts.at(-1);
  if (before === undefined || before.end < part.start) parts.push(part);
  else parts[parts.length - 1] = { start: before.start, end: Math.max(before.end, part.end) };
}

/** The slot of three characters. Of each, seven bits count. */
function slotOf(text: string, at: number): number {
  return slotOfCode(
    ((text.charCodeAt(at) & ASCII) << 14) |
      ((text.charCodeAt(at + 1) & ASCII) << 7) |
      (text.charCodeAt(at + 2) & ASCII),
  );
}

const ASCII = 0x7f;

function nextCode(code: number, unit: number): number {
  return ((code << 7) | (unit & ASCII)) & 0x1fffff;
}

function slotOfCode(code: number): number {
  return Math.imul(code, 0x9e3779b1) >>> (32 - SLOT_BITS);
}

function push<Key>(lists: Map<Key, string[]>, key: Key, form: string): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [form]);
  else list.push(form);
}
