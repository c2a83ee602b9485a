import type { Output, Terminal } from "./terminal.ts";

/** Where a command shows what happens: the answer, and lines beside it. Keeps them apart. */
export interface Screen {
  /** More of the answer; always to stdout. */
  text(piece: string): void;
  /** The answer, or this part of it, is whole. */
  endText(): void;
  /** A whole line, or several. */
  line(text: string): void;
  /** A line about the command itself, not the session; always to stderr. */
  notice(text: string): void;
  /** Whether a line can be replaced; elsewhere each is a further one. */
  readonly hasLive: boolean;
  /** A line that may be replaced while it is the last one. Must fit the screen. */
  live(text: string): void;
  /** The same line, as it is now. */
  relive(text: string): void;
  /** How the live line ended: in its place where it is still the last one, as a further line otherwise. */
  settle(text: string): void;
  /** Something is asked: what belongs on the same screen waits until it is answered. */
  hold(): void;
  release(): void;
  /** Leaves the cursor at the start of a line. */
  end(): void;
}

/** Characters that may wait while something is asked; what comes after is not shown, only counted. */
const MOST_HELD = 1024 * 1024;
const CLEAR_LINE = "\r\u001B[K";

/** `beside` is where lines go. A terminal that both go to is one screen. */
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
      // What was left out may have ended the line that is there; it is ended again.
      lines.wrote("…");
      line(`(${leftOut} characters came meanwhile and are not shown)`);
      leftOut = 0;
    },
    end() {
      write(stdout, answers.endLine());
      if (!isShared) write(aside, lines.endLine());
    },
  };
}

interface Sheet {
  /** What must be written before a block of this kind begins; nothing where it goes on. */
  begin(kind: "text" | "line"): string;
  wrote(text: string, options?: { readonly isLive?: boolean }): void;
  isLive(): boolean;
  endLine(): string;
  endText(): string;
}

/** Knows where the cursor is on what is written to one place, and what stands last on it. */
function createSheet(): Sheet {
  let last: "text" | "whole text" | "line" | null = null;
  /** How many line ends were written last: none in the middle of a line, two after an empty one. */
  let ends = 1;
  let isLive = false;
  const endLines = (wanted: number): string => {
    const missing = Math.max(0, wanted - ends);
    ends += missing;
    isLive = false;
    return "\n".repeat(missing);
  };
  return {
    begin(kind) {
      if (kind === "text" && last === "text") return "";
      const goesOn = last === null || (kind === "line" && last === "line");
      last = kind;
      return endLines(goesOn ? 1 : 2);
    },
    wrote(text, options) {
      const [trailing = ""] = /\n*$/u.exec(text) ?? [];
      ends = trailing.length === text.length ? ends + trailing.length : trailing.length;
      isLive = options?.isLive === true;
    },
    isLive: () => isLive,
    endLine: () => endLines(1),
    endText() {
      if (last !== "text") return "";
      last = "whole text";
      return endLines(1);
    },
  };
}
