/** Finds the forms of secrets. */
export interface Finder {
  /** The parts of a text that are forms, in order. Parts that touch or overlap are one. */
  find(text: string): readonly Part[];
  /** The longest end of a text with which a form begins; null if it has fewer than four characters. */
  beginning(text: string): Beginning | null;
  /** False if no form begins in the three characters of `end` and goes on in `more`. It can be wrongly true. */
  mayGoOn(end: string, more: string): boolean;
  /** The length of the longest form. */
  readonly longest: number;
  /** The number of forms; it changes when the finder finds more or less. */
  readonly size: number;
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
const NONE: readonly Part[] = [];

/** Characters that are looked at together. */
const BLOCK = 3;
/** The search never looks at more characters of a form at once. */
const WIDEST = 64;
const SLOT_BITS = 17;
/** In a slot: how far the search can move on, and whether a form begins with or has these characters anywhere. */
const SHIFT = 0x3f;
const FIRST = 0x40;
const ANYWHERE = 0x80;

/**
 * The algorithm of Wu and Manber: it looks at the last three characters of a window that is as wide as the shortest form.
 * If no form has them there, it moves on, by nearly the width of the window in most cases. Text without secrets costs
 * little, therefore, and less if all secrets are long.
 */
export function createMatcher(): Matcher {
  const forms = new Set<string>();
  const slots = new Uint8Array(1 << SLOT_BITS);
  /** The forms whose window ends with a block. */
  const candidates = new Map<number, string[]>();
  const beginnings = new Map<string, string[]>();
  let width = WIDEST;
  let longest = 0;

  const learn = (form: string): void => {
    const farthest = width - BLOCK;
    for (let at = 0; at <= form.length - BLOCK; at += 1) {
      const slot = slotOf(form, at);
      const known = slots[slot] ?? 0;
      const shift = at > farthest ? known & SHIFT : Math.min(known & SHIFT, farthest - at);
      slots[slot] = shift | (known & FIRST) | (at === 0 ? FIRST : 0) | ANYWHERE;
    }
    push(candidates, slotOf(form, farthest), form);
  };

  const learnAll = (): void => {
    slots.fill(width - BLOCK + 1);
    candidates.clear();
    for (const form of forms) learn(form);
  };
  learnAll();

  const longestAt = (text: string, slot: number, start: number): number => {
    let length = 0;
    for (const form of candidates.get(slot) ?? []) {
      if (form.length > length && text.startsWith(form, start)) length = form.length;
    }
    return length;
  };

  const isFirst = (slot: number): boolean => ((slots[slot] ?? 0) & FIRST) !== 0;
  const isAnywhere = (slot: number): boolean => ((slots[slot] ?? 0) & ANYWHERE) !== 0;

  return {
    add(form) {
      if (form.length < SHORTEST || forms.has(form)) return;
      forms.add(form);
      longest = Math.max(longest, form.length);
      push(beginnings, form.slice(0, SHORTEST_BEGINNING), form);
      if (form.length >= width) return learn(form);
      width = form.length;
      learnAll();
    },
    find(text) {
      let parts: Part[] | null = null;
      // The place of the last block of the window.
      let at = width - BLOCK;
      const last = text.length - BLOCK;
      while (at <= last) {
        const slot = slotOf(text, at);
        const shift = (slots[slot] ?? 0) & SHIFT;
        if (shift > 0) {
          at += shift;
          continue;
        }
        const start = at - width + BLOCK;
        const length = longestAt(text, slot, start);
        if (length > 0) addPart((parts ??= []), { start, end: start + length });
        at += 1;
      }
      return parts ?? NONE;
    },
    beginning(text) {
      const { length } = text;
      const last = length - SHORTEST_BEGINNING;
      // Most texts are ruled out by their last characters.
      if (last < 0 || !isAnywhere(slotOf(text, last + 1)) || !isAnywhere(slotOf(text, last)))
        return null;
      for (let start = Math.max(0, length - longest + 1); start <= last; start += 1) {
        if (!isFirst(slotOf(text, start))) continue;
        const begun = beginnings.get(text.slice(start, start + SHORTEST_BEGINNING));
        const beginning = begun === undefined ? null : longestBeginning(begun, text, start);
        if (beginning !== null) return beginning;
      }
      return null;
    },
    mayGoOn(end, more) {
      const [second, third] = [end.charCodeAt(1), end.charCodeAt(2)];
      const fourth = more.charCodeAt(0);
      return (
        isFirst(slotOf(end, 0)) ||
        isFirst(slotOfCodes(second, third, fourth)) ||
        isFirst(slotOfCodes(third, fourth, more.charCodeAt(1)))
      );
    },
    get longest() {
      return longest;
    },
    get size() {
      return forms.size;
    },
  };
}

function longestBeginning(forms: readonly string[], text: string, start: number): Beginning | null {
  const end = text.slice(start);
  const begun = forms.filter((form) => form.length > end.length && form.startsWith(end));
  if (begun.length === 0) return null;
  const isTelling = begun.some((form) => isTellingOf(end.length, form.length));
  return { start, isTelling };
}

/** Whether so many characters of a secret must not be shown. */
export function isTellingOf(shown: number, length: number): boolean {
  return shown >= SHORTEST && shown * 4 >= length;
}

/** Adds a part that does not begin before the others. */
export function addPart(parts: Part[], part: Part): void {
  const before = parts.at(-1);
  if (before === undefined || before.end < part.start) parts.push(part);
  else parts[parts.length - 1] = { start: before.start, end: Math.max(before.end, part.end) };
}

function slotOf(text: string, at: number): number {
  return slotOfCodes(text.charCodeAt(at), text.charCodeAt(at + 1), text.charCodeAt(at + 2));
}

/** The slot of three characters. Of each, seven bits count. */
function slotOfCodes(first: number, second: number, third: number): number {
  const code = ((first & 0x7f) << 14) | ((second & 0x7f) << 7) | (third & 0x7f);
  return Math.imul(code, 0x9e3779b1) >>> (32 - SLOT_BITS);
}

function push<Key>(lists: Map<Key, string[]>, key: Key, form: string): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [form]);
  else list.push(form);
}
