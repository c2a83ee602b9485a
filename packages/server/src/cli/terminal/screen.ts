import type { Output, Terminal } from "./terminal.ts";

/** Shows the answer of an agent and the lines about it, separated by empty lines. */
export interface Screen {
  /** Appends to the answer; always on stdout. */
  text(piece: string): void;
  /** Ends the answer or this part of it. */
  endText(): void;
  /** Prints one or more whole lines. */
  line(text: string): void;
  /** Prints a line about the command itself; always on stderr. */
  notice(text: string): void;
  /** Whether a live line can be replaced; otherwise each update is a new line. */
  readonly hasLive: boolean;
  /** Prints a line that can be replaced while it is the last one. Must fit the width. */
  live(text: string): void;
  /** Replaces the live line. */
  relive(text: string): void;
  /** Prints the final version of the live line: in place if it is still the last line, else as a new line. */
  settle(text: string): void;
  /** Holds back output to the same screen while a question is open. */
  hold(): void;
  release(): void;
  /** Moves the cursor to the start of a line. */
  end(): void;
}

/** Characters held back while a question is open; further ones are only counted. */
const MOST_HELD = 1024 * 1024;
const CLEAR_LINE = "\r\u001B[K";

/** `beside` is the stream for lines. When both streams go to a terminal, they share one screen. */
export function createScreen(
  { stdout, stderr }: Pick<Terminal, "stdout" | "stderr">,
  { beside = "stderr" }: { readonly beside?: "stdout" | "stderr" } = {},
): Screen {
  const aside = beside === "stdout" ? stdout : stderr;
  const isShared = aside === stdout || (stdout.isTerminal && stderr.isTerminal);
  const answers = createSheet();
  const lines = isShared ? answers : createSheet();
  const isBeside = aside === stderr || (stdout.isTerminal && stderr.isTerminal);
  const notices = isBeside ? lines : createSheet();
  let held: { readonly output: Output; readonly text: string }[] = [];
  let isHeld = false;
  let heldSize = 0;
  let leftOut = 0;

  const write = (output: Output, text: string): void => {
    if (text === "") return;
    const waits = isHeld && output.isTerminal && stderr.isTerminal;
    if (!waits) output.stream.write(text);
    else if (heldSize + text.length > MOST_HELD) leftOut += text.length;
    else {
      held.push({ output, text });
      heldSize += text.length;
    }
  };

  const writeLine = (output: Output, sheet: Sheet, text: string): void => {
    const gap = sheet.begin("line");
    sheet.wrote(`${text}\n`);
    write(output, `${gap}${text}\n`);
  };
  const line = (text: string): void => writeLine(aside, lines, text);

  return {
    text(piece) {
      if (piece === "") return;
      const gap = answers.begin("text");
      answers.wrote(piece);
      write(stdout, `${gap}${piece}`);
    },
    endText: () => write(stdout, answers.endText()),
    line,
    notice: (text) => writeLine(stderr, notices, text),
    hasLive: aside.isTerminal,
    relive(text) {
      if (lines.isLive()) write(aside, `${CLEAR_LINE}${text}`);
    },
    live(text) {
      if (!aside.isTerminal) return line(text);
      const gap = lines.begin("line");
      lines.wrote(text, { isLive: true });
      write(aside, `${gap}${text}`);
    },
    settle(text) {
      if (!lines.isLive()) return line(text);
      lines.wrote(`${text}\n`);
      write(aside, `${CLEAR_LINE}${text}\n`);
    },
    hold() {
      write(aside, lines.endLine());
      isHeld = true;
    },
    release() {
      isHeld = false;
      for (const { output, text } of held) output.stream.write(text);
      held = [];
      heldSize = 0;
      if (leftOut === 0) return;
      // The omitted text may have ended the current line, so it is ended again.
      lines.wrote("…");
      line(`(${leftOut} characters arrived meanwhile and are not shown)`);
      leftOut = 0;
    },
    end() {
      write(stdout, answers.endLine());
      if (!isShared) write(aside, lines.endLine());
    },
  };
}

type Sheet = ReturnType<typeof createSheet>;

/** Tracks the cursor and the last block of one screen. Texts that it returns must be written. */
function createSheet() {
  let last: "text" | "whole text" | "line" | null = null;
  /** Trailing newlines written so far: 0 in the middle of a line, 2 after an empty line. */
  let ends = 1;
  let isLive = false;
  const endLines = (wanted: number): string => {
    const missing = Math.max(0, wanted - ends);
    ends += missing;
    isLive = false;
    return "\n".repeat(missing);
  };
  return {
    /** The newlines before a block of this kind; empty when the block continues. */
    begin(kind: "text" | "line"): string {
      if (kind === "text" && last === "text") return "";
      const goesOn = last === null || (kind === "line" && last === "line");
      last = kind;
      return endLines(goesOn ? 1 : 2);
    },
    wrote(text: string, options?: { readonly isLive: boolean }): void {
      const [trailing = ""] = /\n*$/u.exec(text) ?? [];
      ends = trailing.length === text.length ? ends + trailing.length : trailing.length;
      isLive = options?.isLive === true;
    },
    isLive: () => isLive,
    endLine: () => endLines(1),
    endText(): string {
      if (last !== "text") return "";
      last = "whole text";
      return endLines(1);
    },
  };
}
