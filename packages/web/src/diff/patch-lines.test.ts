import { createTwoFilesPatch } from "diff";
import fc from "fast-check";
import { expect, it } from "vitest";
import { diffLines } from "./diff-lines.ts";
import { patchLines } from "./patch-lines.ts";

const PATCH = `diff --git a/a.txt b/a.txt
index 1..2 100644
--- a/a.txt
+++ b/a.txt
@@ -4,2 +4,3 @@ a heading
 same\r
-old
+-- new
++ more
\\ No newline at end of file
@@ -9 +10 @@
-@ x
+@@ y
`;

it("D7 the lines of a patch are numbered, with gaps between its hunks", () => {
  expect(patchLines(PATCH, { isCut: false })).toEqual({
    isBinary: false,
    lines: [
      { line: "gap", count: 3 },
      { line: "same", text: "same", old: 4, new: 4 },
      { line: "removed", text: "old", old: 5 },
      { line: "added", text: "-- new", new: 5 },
      { line: "added", text: "+ more", new: 6 },
      { line: "gap", count: 3 },
      { line: "removed", text: "@ x", old: 9 },
      { line: "added", text: "@@ y", new: 10 },
    ],
  });
});

it("D7 a patch that is cut ends with its last whole line", () => {
  const cut = PATCH.slice(0, PATCH.indexOf("more"));
  expect(patchLines(cut, { isCut: true }).lines.at(-1)).toEqual({
    line: "added",
    text: "-- new",
    new: 5,
  });
});

it("D7 binary files and pure renames have no lines", () => {
  const head = "diff --git a/a.png b/a.png\nindex 1..2 100644\n";
  expect(patchLines(`${head}Binary files a/a.png and b/a.png differ\n`, { isCut: false })).toEqual({
    isBinary: true,
    lines: [],
  });
  const rename = "diff --git a/a b/b\nsimilarity index 100%\nrename from a\nrename to b\n";
  expect(patchLines(rename, { isCut: false })).toEqual({ isBinary: false, lines: [] });
});

it("D7 a patch of two texts shows the same lines as the texts", () => {
  const lines = fc.array(fc.constantFrom("a", "b", "-", "+", "@@ -1 +1 @@", " x", ""), {
    maxLength: 20,
  });
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const [one, other] = [before, after].map((each) => each.map((line) => `${line}\n`).join(""));
      const patch = createTwoFilesPatch("a", "b", one ?? "", other ?? "", "", "", { context: 3 });
      expect(patchLines(patch, { isCut: false }).lines).toEqual(
        diffLines(one ?? "", other ?? "").lines,
      );
    }),
  );
});
