import { readForm } from "@holdfast/protocol";
import { expect, it } from "vitest";
import { memoryStorage } from "../composer/testing/memory-storage.ts";
import { readFormDraft, storeFormDraft } from "./form-draft.ts";

const FORM = readForm({
  properties: {
    name: { type: "string", default: "Ada" },
    sure: { type: "boolean" },
    key: { type: "string", _meta: { codex: { isSecret: true } } },
  },
});
const KEY = "holdfast.answer.w";

it("a form begins with its defaults, and continues with the stored input (D1)", () => {
  const storage = memoryStorage();
  expect(readFormDraft(KEY, FORM, storage)).toEqual({ name: "Ada", sure: null, key: "" });
  storeFormDraft(KEY, FORM, { name: "", sure: false, key: "k-123" }, storage);
  expect(readFormDraft(KEY, FORM, storage)).toEqual({ name: "", sure: false, key: "" });
});

it("a secret is not stored in the browser (D1)", () => {
  const storage = memoryStorage();
  storeFormDraft(KEY, FORM, { name: "x", sure: true, key: "k-123" }, storage);
  expect(storage.get(KEY)).not.toContain("k-123");
});

it.each(["{", "[]", "7", '{"name":{"a":1},"other":"x","sure":3}'])(
  "stored text that is no input counts as nothing: %s",
  (stored) => {
    const storage = memoryStorage();
    storage.set(KEY, stored);
    expect(readFormDraft(KEY, FORM, storage)).toEqual({ name: "Ada", sure: null, key: "" });
  },
);
