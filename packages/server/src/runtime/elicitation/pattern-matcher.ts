import { RE2JS } from "re2js";
import type { Matcher } from "../../domain/elicitation/check-value.ts";

/** Longer patterns are not checked. */
const MAX_PATTERN = 500;
/** The characters of all patterns that one answer is checked against. */
const MAX_PATTERNS = 2_000;
/** Instructions of a compiled pattern. */
const MAX_PROGRAM = 1_000;
/** Instructions times characters, for all patterns of one answer. */
const MAX_WORK = 2_000_000;

/**
 * Checks the patterns of one answer in bounded time. RE2 has no backtracking, so its time is linear in the text, but it
 * knows neither lookaheads nor references. A pattern that it cannot take, or that costs too much, is left to the agent.
 */
export function patternMatcher(): Matcher {
  let patterns = 0;
  let work = 0;
  return (pattern, text) => {
    patterns += pattern.length;
    if (pattern.length > MAX_PATTERN || patterns > MAX_PATTERNS) return "unknown";
    const compiled = compile(pattern);
    if (compiled === null || compiled.programSize() > MAX_PROGRAM) return "unknown";
    work += compiled.programSize() * text.length;
    if (work > MAX_WORK) return "unknown";
    return compiled.test(text) ? "yes" : "no";
  };
}

function compile(pattern: string): RE2JS | null {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(pattern));
  } catch {
    return null;
  }
}
