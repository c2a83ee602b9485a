import { formsOf } from "./secret-forms.ts";
import { addPart, createMatcher, type Beginning, type Finder, type Part } from "./matcher.ts";
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
    get longest() {
      return Math.max(matcher.longest, TOKEN_LENGTH);
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
const TOKEN = /hf_(?:local_)?[\w-]{43}/gu;
const TOKEN_BEGINNING = /hf_[\w-]{1,51}$/u;
const TOKEN_LENGTH = "hf_local_".length + 43;

function withTokens(text: string, parts: readonly Part[]): readonly Part[] {
  if (!text.includes("hf_")) return parts;
  const tokens = [...text.matchAll(TOKEN)].map(({ index, 0: { length } }) => ({
    start: index,
    end: index + length,
  }));
  if (tokens.length === 0) return parts;
  const all = [...parts, ...tokens].toSorted((left, right) => left.start - right.start);
  const joined: Part[] = [];
  for (const part of all) addPart(joined, part);
  return joined;
}

function beginningOfToken(text: string): Beginning | null {
  const end = text.slice(1 - TOKEN_LENGTH);
  const begun = end.includes("hf_") ? TOKEN_BEGINNING.exec(end) : null;
  if (begun === null) return null;
  const start = text.length - end.length + begun.index;
  return { start, isTelling: begun[0].length * 4 >= TOKEN_LENGTH };
}

function earlier(one: Beginning | null, other: Beginning | null): Beginning | null {
  if (one === null || other === null) return one ?? other;
  return {
    start: Math.min(one.start, other.start),
    isTelling: one.isTelling || other.isTelling,
  };
}
