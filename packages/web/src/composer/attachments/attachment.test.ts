import { expect, it } from "vitest";
import { takesImages, toAttachments, toParts, type Attachment } from "./attachment.ts";

const IMAGE: Attachment = {
  kind: "image",
  id: "1",
  name: "screen.png",
  mimeType: "image/png",
  data: "AAAA",
};
const FILE: Attachment = {
  kind: "file",
  id: "2",
  name: "log.txt",
  mimeType: "text/plain",
  text: "line",
};

it("a message consists of its words and what goes with it", () => {
  expect(toParts("Look", [IMAGE, FILE])).toEqual([
    { type: "text", text: "Look" },
    { type: "image", name: "screen.png", mimeType: "image/png", data: "AAAA" },
    { type: "resource", uri: "log.txt", name: "log.txt", mimeType: "text/plain", text: "line" },
  ]);
  expect(toParts(" ", [FILE]).map(({ type }) => type)).toEqual(["resource"]);
});

it("stored attachments are read back, and invalid ones left out", () => {
  const stored: unknown = JSON.parse(JSON.stringify([IMAGE, FILE, null, { kind: "image" }]));
  expect(toAttachments(stored)).toEqual([IMAGE, FILE]);
  expect(toAttachments("nonsense")).toEqual([]);
});

it("an agent takes images if it says so, and nobody knows before one has run", () => {
  const about = (image: boolean) => ({
    capabilities: { agentCapabilities: { promptCapabilities: { image } } },
  });
  expect([takesImages(about(true)), takesImages(about(false))]).toEqual([true, false]);
  expect(takesImages({ capabilities: null })).toBeNull();
});
