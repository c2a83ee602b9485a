import { expect, it } from "vitest";
import { serversText } from "./servers-text.ts";

it("the text of MCP servers has no empty parts", () => {
  const docs = {
    type: "http" as const,
    url: "https://example.com",
    headers: {},
    headersFrom: { A: "B" },
  };
  const notes = { type: "stdio" as const, command: "notes", args: [], env: {}, envFrom: {} };
  expect(JSON.parse(serversText({ docs, notes }))).toEqual({
    docs: { type: "http", url: "https://example.com", headersFrom: { A: "B" } },
    notes: { type: "stdio", command: "notes" },
  });
  expect(serversText({})).toBe("");
});
