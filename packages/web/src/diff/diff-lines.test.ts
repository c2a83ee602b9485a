import { expect, it } from "vitest";
import { diffLines } from "./diff-lines.ts";

it("a change shows removed and added lines with context", () => {
  const before = Array.from({ length: 12 }, (_, index) => `line ${index + 1}`);
  const after = before.toSpliced(7, 1, "line eight", "and more");
  expect(diffLines(`${before.join("\r\n")}\r\n`, `${after.join("\n")}\n`)).toEqual({
    added: 2,
    removed: 1,
    lines: [
      { line: "gap", count: 4 },
      { line: "same", text: "line 5", old: 5, new: 5 },
      { line: "same", text: "line 6", old: 6, new: 6 },
      { line: "same", text: "line 7", old: 7, new: 7 },
      { line: "removed", text: "line 8", old: 8 },
      { line: "added", text: "line eight", new: 8 },
      { line: "added", text: "and more", new: 9 },
      { line: "same", text: "line 9", old: 9, new: 10 },
      { line: "same", text: "line 10", old: 10, new: 11 },
      { line: "same", text: "line 11", old: 11, new: 12 },
    ],
  });
});

it("all lines of a new file are added", () => {
  expect(diffLines(null, "a\nb")).toEqual({
    added: 2,
    removed: 0,
    lines: [
      { line: "added", text: "a", new: 1 },
      { line: "added", text: "b", new: 2 },
    ],
  });
});

it("equal texts have no changes", () => {
  expect(diffLines("a\n", "a\n")).toEqual({ added: 0, removed: 0, lines: [] });
});

it("completely different texts are compared in limited time", () => {
  const text = (seed: number): string =>
    Array.from({ length: 20_000 }, (_, index) => `${(index * seed) % 10_007}`).join("\n");
  const { added, removed } = diffLines(text(7), text(31));
  expect({ added: added > 0, removed: removed > 0 }).toEqual({ added: true, removed: true });
});
