import { expect, it } from "vitest";
import { promptBlocks } from "./prompt-blocks.ts";

const everything = { image: true, audio: true, embeddedContext: true };
const nothing = { image: false, audio: false, embeddedContext: false };

const parts = [
  { type: "text", text: "look" },
  { type: "image", data: "AAAA", mimeType: "image/png", uri: "file:///a.png" },
  { type: "audio", data: "BBBB", mimeType: "audio/wav" },
  { type: "link", uri: "file:///b", name: "b", description: "a file" },
  { type: "resource_link", uri: "file:///c" },
  { type: "resource", uri: "file:///d", text: "content", mimeType: "text/plain" },
  { type: "resource", uri: "file:///e", data: "CCCC" },
  { type: "hologram", beams: 3 },
  { type: "note", text: "shown" },
];

it("parts that an agent supports keep their type", () => {
  expect(promptBlocks(parts, everything)).toEqual([
    { type: "text", text: "look" },
    { type: "image", data: "AAAA", mimeType: "image/png", uri: "file:///a.png" },
    { type: "audio", data: "BBBB", mimeType: "audio/wav" },
    { type: "resource_link", uri: "file:///b", name: "b", description: "a file" },
    { type: "resource_link", uri: "file:///c", name: "file:///c" },
    {
      type: "resource",
      resource: { uri: "file:///d", text: "content", mimeType: "text/plain" },
    },
    { type: "resource", resource: { uri: "file:///e", blob: "CCCC" } },
    { type: "text", text: '{"type":"hologram","beams":3}' },
    { type: "text", text: "shown" },
  ]);
});

it("other parts become text or a link", () => {
  expect(promptBlocks(parts, nothing)).toEqual([
    { type: "text", text: "look" },
    {
      type: "text",
      text: "[image of type image/png, which this agent does not take: file:///a.png]",
    },
    { type: "text", text: "[audio of type audio/wav, which this agent does not take]" },
    { type: "resource_link", uri: "file:///b", name: "b", description: "a file" },
    { type: "resource_link", uri: "file:///c", name: "file:///c" },
    { type: "text", text: "file:///d\n\ncontent" },
    { type: "resource_link", uri: "file:///e", name: "file:///e" },
    { type: "text", text: '{"type":"hologram","beams":3}' },
    { type: "text", text: "shown" },
  ]);
});
