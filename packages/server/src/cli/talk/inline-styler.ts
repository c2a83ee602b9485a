import type { Paint } from "../terminal/paint.ts";

/** A marker without an end within this distance is plain text. */
const REACH = 400;

export interface StyledPart {
  readonly styled: string;
  /** Text that needs more of the line to be decided. */
  readonly rest: string;
}

/**
 * Styles emphasis, code and links of a line, as far as they can be decided. A marker without an end is plain text, so
 * nothing is lost. The result does not depend on how the line was split.
 */
export function styleInline(
  text: string,
  { paint, isEnd, before = "" }: { paint: Paint; isEnd: boolean; before?: string },
): StyledPart {
  let styled = "";
  let at = 0;
  while (at < text.length) {
    const plain = PLAIN.exec(text.slice(at))?.[0] ?? "";
    styled += plain;
    at += plain.length;
    if (at >= text.length) break;
    const window = text.slice(at, at + REACH);
    const isWhole = isEnd || text.length - at >= REACH;
    const previous = at > 0 ? (text[at - 1] ?? "") : before;
    const span = spanAt(window, { paint, isWhole, previous });
    if (span === "undecided") return { styled, rest: text.slice(at) };
    styled += span.styled;
    at += span.length;
  }
  return { styled, rest: "" };
}

interface Span {
  readonly length: number;
  readonly styled: string;
}

interface SpanContext {
  readonly paint: Paint;
  /** Text after the window cannot change the decision. */
  readonly isWhole: boolean;
  readonly previous: string;
}

const PLAIN = /^[^\\`*_~[]+/u;

function spanAt(window: string, place: SpanContext): Span | "undecided" {
  switch (window[0]) {
    case "\\":
      return escapeAt(window, place);
    case "`":
      return codeAt(window, place);
    case "[":
      return linkAt(window, place);
    default:
      return emphasisAt(window, place);
  }
}

function escapeAt(window: string, { isWhole }: SpanContext): Span | "undecided" {
  if (window.length === 1 && !isWhole) return "undecided";
  const escaped = /^\\[\\`*_~[\]]/u.test(window);
  return escaped ? { length: 2, styled: window[1] ?? "" } : { length: 1, styled: "\\" };
}

function codeAt(window: string, { paint, isWhole }: SpanContext): Span | "undecided" {
  const fence = /^`+/u.exec(window)?.[0] ?? "`";
  const literal = { length: fence.length, styled: fence };
  for (const run of window.slice(fence.length).matchAll(/`+/gu)) {
    if (run[0].length !== fence.length) continue;
    const end = fence.length + run.index;
    const length = end + fence.length;
    // One more backtick would make it another fence.
    if (length === window.length && !isWhole) return "undecided";
    const code = window.slice(fence.length, end).replace(/^ (.*\S.*) $/u, "$1");
    return { length, styled: paint.cyan(code) };
  }
  return isWhole ? literal : "undecided";
}

const LINK = /^\[([^[\]]*)\]\(<?([^()<>\s]*(?:\([^()<>\s]*\)[^()<>\s]*)*)>?(?:\s+"[^"]*")?\)/u;
const MAYBE_LINK = /^\[[^[\]]*(?:\](?:\([^)]*(?:\)[^)\s]*)?)?)?$/u;

function linkAt(window: string, { paint, isWhole }: SpanContext): Span | "undecided" {
  const [all, label = "", url = ""] = LINK.exec(window) ?? [];
  if (all !== undefined && url !== "") {
    const name = styleInline(label, { paint, isEnd: true }).styled;
    const styled =
      label === url || label === "" ? paint.underline(url) : `${name}${paint.dim(` (${url})`)}`;
    return { length: all.length, styled };
  }
  if (!isWhole && MAYBE_LINK.test(window)) return "undecided";
  return { length: 1, styled: "[" };
}

const STYLES = new Map<string, (paint: Paint, text: string) => string>([
  ["*", (paint, text) => paint.italic(text)],
  ["_", (paint, text) => paint.italic(text)],
  ["**", (paint, text) => paint.bold(text)],
  ["__", (paint, text) => paint.bold(text)],
  ["***", (paint, text) => paint.bold(paint.italic(text))],
  ["~~", (paint, text) => paint.strikethrough(text)],
]);

function emphasisAt(window: string, { paint, isWhole, previous }: SpanContext): Span | "undecided" {
  const run = /^(?:\*+|_+|~+)/u.exec(window)?.[0] ?? "";
  const literal = { length: run.length, styled: run };
  if (run.length === window.length && !isWhole) return "undecided";
  const style = STYLES.get(run);
  const next = window[run.length] ?? "";
  const isInWord = run.startsWith("_") ? WORD.test(previous) : IN_PATH.test(previous);
  if (style === undefined || /^\s?$/u.test(next) || isInWord) return literal;
  const end = endOfEmphasis(window, { marker: run, isWhole });
  if (end === null) return isWhole ? literal : "undecided";
  const length = end + run.length;
  if (length === window.length && !isWhole) return "undecided";
  const inner = styleInline(window.slice(run.length, end), { paint, isEnd: true, before: run });
  return { length, styled: style(paint, inner.styled) };
}

const WORD = /^[\p{L}\p{N}]/u;
/** After these an asterisk belongs to a path or a multiplication. */
const IN_PATH = /^[/.=\d]/u;

/** The position of the closing marker, outside of code; null when there is none. */
function endOfEmphasis(
  window: string,
  { marker, isWhole }: { marker: string; isWhole: boolean },
): number | null {
  const sign = marker[0] ?? "";
  for (let at = marker.length; at < window.length;) {
    const rest = window.slice(at);
    const skipped = SKIPPED.exec(rest)?.[0].length ?? 0;
    if (skipped === 0 && rest.startsWith("`") && !isWhole) return null;
    const run = /^(?:`+|\*+|_+|~+)/u.exec(rest)?.[0] ?? "";
    const closes =
      skipped === 0 &&
      run === marker &&
      /\S$/u.test(window.slice(0, at)) &&
      !(sign === "_" && WORD.test(rest.slice(run.length)));
    if (closes) return at;
    at += skipped || run.length || 1;
  }
  return null;
}

/** An escaped character or code, in which markers do not count. */
const SKIPPED = /^(?:\\[^]|(`+)(?!`)[^]*?[^`]\1(?!`))/u;
