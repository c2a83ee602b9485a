import { formsOf } from "./secret-forms.ts";
import {
  addPart,
  createMatcher,
  isTellingOf,
  type Beginning,
  type Finder,
  type Part,
} from "./matcher.ts";
import { createRedactor, type Redactor } from "./redactor.ts";

/** The secrets that the server knows. What it knows now is removed from all later output of all agents. */
export interface Secrets {
  /** Secrets of the configuration. */
  keep(values: Iterable<string>): void;
  /** A secret that was made or used while the server runs. Only the newest are remembered. */
  note(value: string): void;
  readonly redactor: Redactor;
}

const MAX_NOTED = 1_000;

export function openSecrets(): Secrets {
  const kept = new Set<string>();
  const noted = new Set<string>();
  let matcher = createMatcher();
  const learn = (value: string): void => {
    for (const form of formsOf(value)) matcher.add(form);
  };
  const forgetOldest = (): void => {
    for (const value of [...noted].slice(0, noted.size - MAX_NOTED / 2)) noted.delete(value);
    matcher = createMatcher();
    for (const value of [...kept, ...noted]) learn(value);
  };
  const finder: Finder = {
    find: (text) => withTokens(text, matcher.find(text)),
    beginning: (text) => earlier(matcher.beginning(text), beginningOfToken(text)),
    mayGoOn: (end, more) => "hf_".includes(end.charAt(2)) || matcher.mayGoOn(end, more),
    get longest() {
      return Math.max(matcher.longest, TOKEN_LENGTH);
    },
    get size() {
      return matcher.size;
    },
  };
  return {
    keep: (values) => {
      for (const value of values) {
        if (!kept.has(value)) learn(value);
        kept.add(value);
      }
    },
    note: (value) => {
      if (kept.has(value) || noted.has(value)) return;
      noted.add(value);
      if (noted.size > MAX_NOTED) forgetOldest();
      else learn(value);
    },
    redactor: createRedactor(finder),
  };
}

/** Tokens of the API are stored as digests only, but all look like this. */
const TOKEN = /hf_(?:local_)?[\w-]{43}/uy;
const TOKEN_BEGINNING = /hf_[\w-]{1,51}$/u;
const TOKEN_LENGTH = "hf_local_".length + 43;

function withTokens(text: string, parts: readonly Part[]): readonly Part[] {
  let found: Part[] | null = null;
  // A search for one character is much faster than one for a text.
  for (let at = text.indexOf("_"); at !== -1; at = text.indexOf("_", at + 1)) {
    if (text.charCodeAt(at - 1) !== LETTER_F || text.charCodeAt(at - 2) !== LETTER_H) continue;
    TOKEN.lastIndex = at - 2;
    if (TOKEN.test(text)) (found ??= [...parts]).push({ start: at - 2, end: TOKEN.lastIndex });
  }
  if (found === null) return parts;
  const joined: Part[] = [];
  for (const part of found.toSorted((left, right) => left.start - right.start))
    addPart(joined, part);
  return joined;
}

const LETTER_H = 0x68;
const LETTER_F = 0x66;

function beginningOfToken(text: string): Beginning | null {
  const end = text.slice(1 - TOKEN_LENGTH);
  const begun = end.includes("_") ? TOKEN_BEGINNING.exec(end) : null;
  if (begun === null) return null;
  const start = text.length - end.length + begun.index;
  return { start, isTelling: isTellingOf(begun[0].length, TOKEN_LENGTH) };
}

function earlier(one: Beginning | null, other: Beginning | null): Beginning | null {
  if (one === null || other === null) return one ?? other;
  return {
    start: Math.min(one.start, other.start),
    isTelling: one.isTelling || other.isTelling,
  };
}
