import { structuredPatch } from "diff";

/** A line of a diff; line numbers start at 1. */
export type DiffLine =
  | { readonly line: "same"; readonly text: string; readonly old: number; readonly new: number }
  | { readonly line: "removed"; readonly text: string; readonly old: number }
  | { readonly line: "added"; readonly text: string; readonly new: number }
  /** Omitted unchanged lines. */
  | { readonly line: "gap"; readonly count: number };

/** Consecutive lines of a diff, with their signs. */
export interface Hunk {
  readonly oldStart: number;
  readonly newStart: number;
  readonly lines: readonly string[];
}

export interface FileDiff {
  readonly lines: readonly DiffLine[];
  readonly added: number;
  readonly removed: number;
}

const CONTEXT = 3;
/** After this time the texts count as completely different. */
const MAX_MS = 250;

/** The diff between two texts; null stands for a new file. */
export function diffLines(oldText: string | null, newText: string): FileDiff {
  const before = normal(oldText ?? "");
  const after = normal(newText);
  const patch = structuredPatch("", "", before, after, "", "", {
    context: CONTEXT,
    timeout: MAX_MS,
  });
  const lines = patch === undefined ? replaced(before, after) : hunkLines(patch.hunks);
  return {
    lines,
    added: lines.filter(({ line }) => line === "added").length,
    removed: lines.filter(({ line }) => line === "removed").length,
  };
}

export function hunkLines(hunks: readonly Hunk[]): readonly DiffLine[] {
  const lines: DiffLine[] = [];
  let shown = 1;
  for (const { oldStart, newStart, lines: marked } of hunks) {
    let old = oldStart;
    let fresh = newStart;
    if (old > shown) lines.push({ line: "gap", count: old - shown });
    for (const each of marked) {
      const text = each.slice(1);
      switch (each.charAt(0)) {
        case "-":
          lines.push({ line: "removed", text, old });
          old += 1;
          break;
        case "+":
          lines.push({ line: "added", text, new: fresh });
          fresh += 1;
          break;
        case " ":
          lines.push({ line: "same", text, old, new: fresh });
          old += 1;
          fresh += 1;
          break;
        default:
          // "\ No newline at end of file"
          break;
      }
    }
    shown = old;
  }
  return lines;
}

function replaced(before: string, after: string): readonly DiffLine[] {
  return [
    ...linesOf(before).map((text, index) => ({ line: "removed" as const, text, old: index + 1 })),
    ...linesOf(after).map((text, index) => ({ line: "added" as const, text, new: index + 1 })),
  ];
}

function linesOf(text: string): readonly string[] {
  if (text === "") return [];
  return (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
}

function normal(text: string): string {
  return text.replaceAll("\r\n", "\n");
}
