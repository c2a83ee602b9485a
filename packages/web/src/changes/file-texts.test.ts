import { expect, it } from "vitest";
import { hasLines, isBinary, modeText, pathText } from "./file-texts.ts";

it("D7 a rename shows both paths", () => {
  expect(pathText({ path: "b.txt", from: "a.txt" })).toBe("a.txt → b.txt");
  expect(pathText({ path: "b.txt", from: null })).toBe("b.txt");
});

it("D7 a file without lines is binary, and one without changed lines has no counts", () => {
  const files = [
    { added: null, deleted: null },
    { added: 0, deleted: 0 },
    { added: 0, deleted: 2 },
  ];
  expect(files.map(isBinary)).toEqual([true, false, false]);
  expect(files.map(hasLines)).toEqual([false, false, true]);
});

it("D7 a changed mode is named; a new file has none before", () => {
  expect(modeText({ modeBefore: "100644", modeAfter: "100755" })).toBe(
    "Its mode changed from 100644 to 100755.",
  );
  expect(modeText({ modeBefore: null, modeAfter: "100644" })).toBeNull();
  expect(modeText({ modeBefore: "100644", modeAfter: "100644" })).toBeNull();
});
