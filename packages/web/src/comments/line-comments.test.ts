import { expect, it } from "vitest";
import { memoryStorage } from "../composer/testing/memory-storage.ts";
import { diffLines } from "../diff/diff-lines.ts";
import { commentsText } from "./comment-text.ts";
import { createLineComments, indexOf, quoteOf, type LineComment } from "./line-comments.ts";

const { lines } = diffLines("one\ntwo\nthree\n", "one\n2\nthree\n");

function commentOn(from: number, to: number): LineComment {
  const quote = quoteOf(lines, { from, to });
  if (quote === null) throw new Error("no lines");
  return { id: "c", path: "a.txt", text: "Why?", ...quote };
}

it("a comment names the lines of the new file, or the removed lines", () => {
  expect([commentOn(0, 3), commentOn(2, 2), commentOn(1, 1)].map(({ where }) => where)).toEqual([
    "lines 1–3",
    "line 2",
    "removed line 2",
  ]);
  expect(quoteOf([{ line: "gap", count: 3 }], { from: 0, to: 0 })).toBeNull();
});

it("a message quotes the lines of its comments, whatever they contain", () => {
  expect(commentsText([commentOn(1, 2)])).toBe("`a.txt`, line 2:\n```diff\n-two\n+2\n```\nWhy?");
  const odd = { ...commentOn(2, 2), path: "a`b", quote: ["+```"], text: " so \n" };
  expect(commentsText([odd, commentOn(1, 1)])).toBe(
    "`` a`b ``, line 2:\n````diff\n+```\n````\nso\n\n`a.txt`, removed line 2:\n```diff\n-two\n```\nWhy?",
  );
  const long = commentsText([{ ...commentOn(2, 2), quote: Array.from({ length: 25 }, () => "+") }]);
  expect(long).toContain("… 5 more");
});

it("a comment stays at its line until that line changes", () => {
  expect(indexOf(lines, commentOn(1, 2))).toBe(2);
  expect(indexOf(diffLines("one\ntwo\n", "one\nzwei\n").lines, commentOn(1, 2))).toBeNull();
});

it("comments survive closing the page, and damaged ones are left out", () => {
  const storage = memoryStorage();
  let ids = 0;
  const open = () => createLineComments(storage, () => `c${(ids += 1)}`);
  const { id: _, ...comment } = commentOn(2, 2);
  const comments = open();
  comments.add("s1", comment);
  comments.add("s1", comment);
  comments.change("s1", "c1", "Better");
  comments.remove("s1", "c2");
  expect(open().of("s1")).toEqual([{ ...comment, id: "c1", text: "Better" }]);
  storage.set("holdfast.comments.s2", JSON.stringify([{ id: 1 }, { ...comment, id: "x" }, null]));
  expect(open().of("s2")).toEqual([{ ...comment, id: "x" }]);
  comments.clear("s1");
  expect([open().of("s1"), storage.kept.has("holdfast.comments.s1")]).toEqual([[], false]);
});
