import { expect, it } from "vitest";
import { createDrafts, NO_DRAFT, parseDraft } from "./drafts.ts";
import { memoryStorage } from "./testing/memory-storage.ts";

it("a draft is there again after the page was closed, each session's its own", () => {
  const storage = memoryStorage();
  const draft = { text: "Fix the\nbuild", provider: "demo", model: null };
  createDrafts(storage).write("s1", draft);
  expect(createDrafts(storage).read("s1")).toEqual(draft);
  expect(createDrafts(storage).read("s2")).toEqual(NO_DRAFT);
});

it("nothing is kept of an empty one", () => {
  const storage = memoryStorage();
  const drafts = createDrafts(storage);
  drafts.write("s1", { ...NO_DRAFT, text: "x" });
  drafts.write("s1", NO_DRAFT);
  expect(storage.kept.size).toBe(0);
});

it("what was damaged, or written by another version, is no draft", () => {
  expect(["{", "null", "[]", '"x"', '{"text": 1, "provider": {}}', null].map(parseDraft)).toEqual(
    Array.from({ length: 6 }, () => NO_DRAFT),
  );
  expect(parseDraft('{"text": "kept"}')).toEqual({ ...NO_DRAFT, text: "kept" });
});
