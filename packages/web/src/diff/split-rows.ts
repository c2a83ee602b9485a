import type { DiffLine } from "./diff-lines.ts";

/** A row of a diff in two columns: the indexes of its lines, null where a side has none. */
export type SplitRow =
  | { readonly row: "gap"; readonly count: number }
  | { readonly row: "lines"; readonly left: number | null; readonly right: number | null };

/** Puts removed lines beside the added lines that follow them. */
export function splitRows(lines: readonly DiffLine[]): readonly SplitRow[] {
  const rows: SplitRow[] = [];
  let removed: number[] = [];
  let added: number[] = [];
  const flush = (): void => {
    const length = Math.max(removed.length, added.length);
    for (let at = 0; at < length; at += 1)
      rows.push({ row: "lines", left: removed[at] ?? null, right: added[at] ?? null });
    removed = [];
    added = [];
  };
  for (const [index, line] of lines.entries()) {
    switch (line.line) {
      case "removed":
        if (added.length > 0) flush();
        removed.push(index);
        break;
      case "added":
        added.push(index);
        break;
      case "same":
        flush();
        rows.push({ row: "lines", left: index, right: index });
        break;
      case "gap":
        flush();
        rows.push({ row: "gap", count: line.count });
        break;
      default:
        line satisfies never;
    }
  }
  flush();
  return rows;
}
