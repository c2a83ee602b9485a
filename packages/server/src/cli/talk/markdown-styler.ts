import { styleInline } from "./inline-styler.ts";
import type { Paint } from "../terminal/paint.ts";

/** Styles text that arrives in pieces. Output can be written at once and never changes. */
export interface Styler {
  push(text: string): string;
  /** Returns the text that was held back, at the end. */
  end(): string;
}

/** A line that is undecided after this many characters is a paragraph. */
const START = 200;

/**
 * Markdown for a terminal, line by line. It holds back only the start of a line and an open marker. A lexer of whole
 * blocks would have to hold back the block, or overwrite lines that have scrolled away.
 */
export function createMarkdownStyler(paint: Paint): Styler {
  if (paint.isPlain) return { push: (text) => text, end: () => "" };
  let fence: string | null = null;
  let line: LineKind | null = null;
  /** The part of the current line that is not styled yet, and the character before it. */
  let held = "";
  let before = "";

  const begin = (isEnd: boolean): string => {
    const kind = fence === null ? kindOf(held, isEnd) : kindInFence(held, { fence, isEnd });
    if (kind === null) return "";
    line = kind;
    if (kind.is === "fence") fence = fence === null ? kind.marker : null;
    const marker = held.slice(0, kind.marker.length);
    held = held.slice(kind.marker.length);
    before = marker.at(-1) ?? "";
    if (kind.is === "code") return marker;
    return kind.is === "list" ? paint.cyan(marker) : paint.dim(marker);
  };

  const go = (isEnd: boolean): string => {
    let out = line === null ? begin(isEnd) : "";
    if (line === null) return out;
    const { styled, rest } = paintRest(line, held, { paint, isEnd, before });
    out += styled;
    before = held.slice(0, held.length - rest.length).at(-1) ?? before;
    held = rest;
    return out;
  };

  const endLine = (): string => {
    const out = go(true);
    line = null;
    held = "";
    before = "";
    return out;
  };

  return {
    push(text) {
      const [first = "", ...others] = text.split("\n");
      held += first;
      let out = "";
      for (const other of others) {
        out += `${endLine()}\n`;
        held = other;
      }
      return held === "" ? out : out + go(false);
    },
    end: () => {
      const out = endLine();
      fence = null;
      return out;
    },
  };
}

interface LineKind {
  readonly is: "heading" | "list" | "quote" | "table" | "rule" | "fence" | "code" | "text";
  /** The start of the line, which gets its own style. */
  readonly marker: string;
}

const UNDECIDED =
  /^[ \t]*(?:#{1,6}|`{1,2}|~{1,2}|(?:`{3}|~{3}).*|[+]|[-*_][-*_ \t]*|\d{1,9}[.)]?)?$/u;
const FENCE = /^ {0,3}(?:`{3,}[^`]*|~{3,}.*)$/u;
const RULE = /^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/u;
const MARKERS: readonly (readonly [LineKind["is"], RegExp])[] = [
  ["heading", /^ {0,3}#{1,6}(?=[ \t])/u],
  ["list", /^[ \t]*(?:[-*+]|\d{1,9}[.)])(?=[ \t])/u],
  ["quote", /^ {0,3}>/u],
  ["table", /^[ \t]*(?=\|)/u],
];

/** Null while the line is undecided. */
function kindOf(start: string, isEnd: boolean): LineKind | null {
  const isUndecided = !isEnd && start.length < START && UNDECIDED.test(start);
  if (isUndecided) return null;
  const head = start.slice(0, START);
  if (FENCE.test(head)) return { is: "fence", marker: head };
  if (start.length < START && RULE.test(start)) return { is: "rule", marker: start };
  for (const [is, form] of MARKERS) {
    const marker = form.exec(head)?.[0];
    if (marker !== undefined) return { is, marker };
  }
  return { is: "text", marker: "" };
}

/** Inside a fence every line is code, up to the closing fence. */
function kindInFence(
  start: string,
  { fence, isEnd }: { fence: string; isEnd: boolean },
): LineKind | null {
  const isMaybeEnd = start.length < START && /^ {0,3}[`~]*[ \t]*$/u.test(start);
  if (!isEnd && isMaybeEnd) return null;
  const opened = /[`~]+/u.exec(fence)?.[0] ?? "```";
  const closed = isMaybeEnd ? (/[`~]+/u.exec(start)?.[0] ?? "") : "";
  return closed.startsWith(opened) ? { is: "fence", marker: start } : { is: "code", marker: "" };
}

function paintRest(
  { is }: LineKind,
  rest: string,
  { paint, isEnd, before }: { paint: Paint; isEnd: boolean; before: string },
): { readonly styled: string; readonly rest: string } {
  const whole = (styled: string) => ({ styled, rest: "" });
  switch (is) {
    case "code":
      return whole(paint.cyan(rest));
    case "heading":
      return whole(paint.bold(rest));
    case "table":
      return whole(rest);
    case "fence":
    case "rule":
      return whole(paint.dim(rest));
    case "quote":
    case "list":
    case "text":
      return styleInline(rest, { paint, isEnd, before });
    default:
      return is satisfies never;
  }
}
