import { diff } from "node:util";

export interface FileDiff {
  readonly path: string;
  /** Null for a new file. */
  readonly oldText: string | null;
  readonly newText: string;
}

export interface DiffLine {
  /** `…` stands for omitted lines without changes. */
  readonly mark: "+" | "-" | " " | "…";
  readonly text: string;
}

export interface ShownDiff {
  readonly added: number;
  readonly removed: number;
  readonly lines: readonly DiffLine[];
}

/** Lines of context before and after a change. */
const CONTEXT = 2;
/** Above this many lines a line-by-line comparison takes too long; all of them are shown as replaced. */
const MOST_COMPARED = 1_000;

export function diffLines({ oldText, newText }: FileDiff): ShownDiff {
  const before = linesOf(oldText ?? "");
  const after = linesOf(newText);
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start])
    start += 1;
  let end = 0;
  while (
    end < before.length - start &&
    end < after.length - start &&
    before.at(-1 - end) === after.at(-1 - end)
  )
    end += 1;
  const all = [
    ...before.slice(0, start).map(unchanged),
    ...compare(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...before.slice(before.length - end).map(unchanged),
  ];
  return {
    added: all.filter(({ mark }) => mark === "+").length,
    removed: all.filter(({ mark }) => mark === "-").length,
    lines: withoutFarContext(all),
  };
}

function compare(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  if (before.length + after.length > MOST_COMPARED || before.length === 0 || after.length === 0)
    return [...before.map(removed), ...after.map(added)];
  return diff(before, after).map(([operation, text]) => {
    if (operation === 0) return unchanged(text);
    return operation === 1 ? removed(text) : added(text);
  });
}

function withoutFarContext(all: readonly DiffLine[]): readonly DiffLine[] {
  const isNear = all.map(() => false);
  all.forEach(({ mark }, at) => {
    if (mark === " ") return;
    for (
      let near = Math.max(0, at - CONTEXT);
      near <= Math.min(all.length - 1, at + CONTEXT);
      near += 1
    )
      isNear[near] = true;
  });
  return all.flatMap((line, at) => {
    if (isNear[at] === true) return [line];
    const isFirst = at === 0 || isNear[at - 1] === true;
    return isFirst ? [{ mark: "…" as const, text: "" }] : [];
  });
}

/** A last line without a newline counts as a line. */
function linesOf(text: string): readonly string[] {
  if (text === "") return [];
  return (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
}

const unchanged = (text: string): DiffLine => ({ mark: " ", text });
const added = (text: string): DiffLine => ({ mark: "+", text });
const removed = (text: string): DiffLine => ({ mark: "-", text });
