import { expect, it } from "vitest";
import { createDrafts, NO_DRAFT, parseDraft } from "./drafts.ts";
import { memoryStorage } from "./testing/memory-storage.ts";

it("each session has its own draft, which survives closing the page", () => {
  const storage = memoryStorage();
  const draft = { text: "Fix the\nbuild", provider: "demo", model: null, mode: null, options: {} };
  createDrafts(storage).write("s1", draft);
  expect(createDrafts(storage).read("s1")).toEqual(draft);
  expect(createDrafts(storage).read("s2")).toEqual(NO_DRAFT);
});

it("an empty draft is not stored", () => {
  const storage = memoryStorage();
  const drafts = createDrafts(storage);
  drafts.write("s1", { ...NO_DRAFT, text: "x" });
  drafts.write("s1", NO_DRAFT);
  expect(storage.kept.size).toBe(0);
});

it("a damaged draft counts as empty", () => {
  expect(["{", "null", "[]", '"x"', '{"text": 1, "provider": {}}', null].map(parseDraft)).toEqual(
    Array.from({ length: 6 }, () => NO_DRAFT),
  );
  expect(parseDraft('{"text": "kept"}')).toEqual({ ...NO_DRAFT, text: "kept" });
});
