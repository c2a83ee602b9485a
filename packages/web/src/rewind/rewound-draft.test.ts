import { expect, it } from "vitest";
import { createDrafts, NO_DRAFT } from "../composer/drafts.ts";
import { memoryStorage } from "../composer/testing/memory-storage.ts";
import { sampleMessage } from "../session/testing/samples.ts";
import { draftMessage, undraftMessage } from "./rewound-draft.ts";

const place = () => ({
  drafts: createDrafts(memoryStorage(), memoryStorage()),
  transcript: { sessionId: "s", messageOfRun: () => sampleMessage("m"), words: () => "Do it" },
});

it("D7 a message that was taken back is the draft, until that is undone", () => {
  const at = place();
  draftMessage(at, "r");
  expect(at.drafts.read("s").text).toBe("Do it");
  undraftMessage(at, "r");
  expect(at.drafts.read("s").text).toBe("");
});

it("D7 a rewind and its undoing leave the words of a person alone", () => {
  const at = place();
  at.drafts.write("s", { ...NO_DRAFT, text: "Mine" });
  draftMessage(at, "r");
  undraftMessage(at, "r");
  expect(at.drafts.read("s").text).toBe("Mine");
});
