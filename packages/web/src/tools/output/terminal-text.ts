/** What a terminal would show of the output of a program, with colour codes. */
export function terminalText(output: string): string {
  return afterCarriageReturns(withoutOtherCodes(output));
}

export interface TerminalEnd {
  /** The last lines. They begin with the colours that were set before. */
  readonly text: string;
  /** The number of all lines. */
  readonly lines: number;
  readonly isWhole: boolean;
}

const LONGEST_LINE = 200;

/** The last lines of what a terminal shows. Of very long lines, only the end. */
export function terminalEnd(shown: string, count: number): TerminalEnd {
  const lines = shown.split("\n");
  const isLong = lines.length > count * 1.25 || shown.length > count * LONGEST_LINE;
  if (!isLong) return { text: shown, lines: lines.length, isWhole: true };
  const last = lines.slice(-count).join("\n");
  const cut = shown.length - Math.min(last.length, count * LONGEST_LINE);
  // Never inside a code.
  const start = CUT_CODE.exec(shown.slice(0, cut))?.index ?? cut;
  const text = colorsAfter(shown.slice(0, start)) + shown.slice(start);
  return { text, lines: lines.length, isWhole: false };
}

/** Without codes, to copy it. */
export function plainOutput(output: string): string {
  return terminalText(output).replaceAll(COLOR, "");
}

const ESCAPE = "\u001B";
/** Escape codes other than colours: titles, links, cursor movements. */
const OTHER_CODES =
  // oxlint-disable-next-line no-control-regex
  /\u001B(?:\][^\u0007\u001B]*(?:\u0007|\u001B\\)|\[[\d;?]*[A-LN-Za-ln-z]|[()][AB0]|[=>78])/gu;
// oxlint-disable-next-line no-control-regex
const COLOR = /\u001B\[[\d;:]*m/gu;
// oxlint-disable-next-line no-control-regex
const CUT_CODE = /\u001B(?:\[[\d;:]*)?$/u;
const RESET = /^.\[(?:0*;)*0*m$/u;
/** The codes kept of the colours before the end: more say nothing new. */
const MAX_COLORS = 20;
/** How far back they are searched. */
const COLORS_WITHIN = 50_000;

function withoutOtherCodes(output: string): string {
  return output.includes(ESCAPE) ? output.replaceAll(OTHER_CODES, "") : output;
}

/** An overwritten line shows its last content, as with progress bars. */
function afterCarriageReturns(output: string): string {
  const text = output.replaceAll(/\r+\n/gu, "\n");
  if (!text.includes("\r")) return text;
  return text
    .split("\n")
    .map((line) => (line.includes("\r") ? overwritten(line) : line))
    .join("\n");
}

/** The colours of the overwritten content still count. */
function overwritten(line: string): string {
  const pieces = line.split("\r");
  const last = pieces.findLastIndex((piece) => piece.replaceAll(COLOR, "") !== "");
  const before = pieces.slice(0, Math.max(0, last)).join("");
  return colorsAfter(before) + pieces.slice(Math.max(0, last)).join("");
}

/** The colours in force after a text. */
function colorsAfter(text: string): string {
  const codes = text.slice(-COLORS_WITHIN).match(COLOR) ?? [];
  const reset = codes.findLastIndex((code) => RESET.test(code));
  return codes
    .slice(reset + 1)
    .slice(-MAX_COLORS)
    .join("");
}
