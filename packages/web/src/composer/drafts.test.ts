import { expect, it } from "vitest";
import type { Attachment } from "./attachments/attachment.ts";
import { createDrafts, NO_DRAFT, parseDraft } from "./drafts.ts";
import { memoryStorage } from "./testing/memory-storage.ts";

it("each session has its own draft, which survives closing the page", () => {
  const storage = memoryStorage();
  const large = memoryStorage();
  const image: Attachment = {
    kind: "image",
    id: "1",
    name: "x.png",
    mimeType: "image/png",
    data: "AA",
  };
  const draft = { ...NO_DRAFT, text: "Fix the\nbuild", provider: "demo", attachments: [image] };
  createDrafts(storage, large).write("s1", draft);
  expect(createDrafts(storage, large).read("s1")).toEqual(draft);
  expect(createDrafts(storage, large).read("s2")).toEqual(NO_DRAFT);
  expect(storage.kept.get("holdfast.draft.s1")).not.toContain("x.png");
});

it("an empty draft is not stored", () => {
  const storage = memoryStorage();
  const drafts = createDrafts(storage, storage);
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
