import { expect, it } from "vitest";
import { diffLines, type DiffLine } from "./diff-lines.ts";
import { splitRows } from "./split-rows.ts";

/** The texts of the rows, such as `old | new`. */
function textsOf(lines: readonly DiffLine[]): readonly string[] {
  const text = (index: number | null): string => {
    const line = index === null ? undefined : lines[index];
    return line === undefined || line.line === "gap" ? "" : line.text;
  };
  return splitRows(lines).map((row) =>
    row.row === "gap" ? `${row.count} unchanged` : `${text(row.left)} | ${text(row.right)}`,
  );
}

it("a split diff puts a changed line beside its new form, and fills up the shorter side", () => {
  const { lines } = diffLines("a\nb\nc\nd\n", "a\nB\nd\ne\n");
  expect(textsOf(lines)).toEqual(["a | a", "b | B", "c | ", "d | d", " | e"]);
});

it("a split diff does not put removed lines beside lines that were added before them", () => {
  const lines: readonly DiffLine[] = [
    { line: "gap", count: 4 },
    { line: "added", text: "new", new: 5 },
    { line: "removed", text: "old", old: 5 },
  ];
  expect(textsOf(lines)).toEqual(["4 unchanged", " | new", "old | "]);
});
