import { expect, it } from "vitest";
import { countsName, countsText, runText, someChanges } from "./counts.ts";

const COUNTS = { files: 2, added: 1_200, deleted: 3 };
const BINARY = { files: 1, added: 0, deleted: 0 };

it("D7 counts of changes are signed numbers of lines; without lines, of files", () => {
  expect([countsText(COUNTS), runText(COUNTS)]).toEqual(["+1,200 −3", "+1,200 −3 in 2 files"]);
  expect([countsText(BINARY), runText(BINARY)]).toEqual(["1 file", "1 file changed"]);
  expect(countsName(COUNTS)).toBe("1,200 lines added, 3 removed, in 2 files");
});

it("D7 unknown changes and no changes are not shown", () => {
  expect([null, { ...COUNTS, files: 0 }, COUNTS].map(someChanges)).toEqual([null, null, COUNTS]);
});
