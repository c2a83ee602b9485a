import { describe, expect, it } from "vitest";
import { parseFeedEvent, parseKnownContent, toEtag, parseEtag } from "./index.ts";

describe("an event of a stream", () => {
  it("is parsed by its name, and a deletion has a type of its own", () => {
    const delta = { messageId: "m", text: "more" };
    expect(parseFeedEvent("delta", delta)).toEqual({ type: "delta", data: delta });
    const deleted = { id: "s", deleted: true };
    expect(parseFeedEvent("session", deleted)).toEqual({ type: "deleted", data: deleted });
    expect(parseFeedEvent("reset", {})).toEqual({ type: "reset", data: {} });
  });

  it("with an unknown name is null; with a known name it must be valid", () => {
    expect(parseFeedEvent("later", { anything: 1 })).toBeNull();
    expect(() => parseFeedEvent("delta", { text: 1 })).toThrow(/messageId/u);
  });
});

describe("the content of a message", () => {
  it("is open, and known types can be told from it", () => {
    const tool = { type: "tool", tool: "ls", args: { path: "." }, result: null, extra: 1 };
    expect(parseKnownContent(tool)).toEqual(tool);
    expect(parseKnownContent({ type: "plan", steps: [] })).toEqual({ type: "plan", steps: [] });
    for (const other of [{ type: "hologram" }, { type: "text", text: 5 }])
      expect(parseKnownContent(other)).toBeNull();
  });
});

describe("a version", () => {
  it("survives the conversion to a tag and back", () => {
    expect(parseEtag(toEtag(12))).toBe(12);
    expect(parseEtag('W/"12"')).toBe(12);
    for (const tag of ["*", "12", '"x"', '""']) expect(parseEtag(tag)).toBeNull();
  });
});
