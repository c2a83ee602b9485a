import { describe, expect, it } from "vitest";
import { sessionTools } from "./session-tools.ts";

const tool = (name: string) => ({ name, description: "d", inputSchema: { type: "object" } });

describe("the tools of a session", () => {
  it("are those its client named in the metadata", () => {
    const inputSchema = { type: "object", properties: { place: { type: "string" } } };
    const tools = [{ name: "weather", description: "The weather.", inputSchema }, { name: "time" }];
    expect(sessionTools({ tools })).toEqual([
      { name: "weather", description: "The weather.", inputSchema },
      { name: "time", description: "", inputSchema: { type: "object", properties: {} } },
    ]);
  });

  it.each([
    ["nothing", {}],
    ["a word", { tools: "weather" }],
    ["a list of something else", { tools: [null, 1, "x", [], {}] }],
    ["names no API takes", { tools: [tool(""), tool("a b"), tool("1x"), tool("x".repeat(65))] }],
    ["no schemas of objects", { tools: [{ ...tool("a"), inputSchema: { type: "string" } }] }],
  ])("are none where the metadata hold %s", (_, metadata) => {
    expect(sessionTools(metadata)).toEqual([]);
  });

  it("are at most 128, each name once", () => {
    const names = Array.from({ length: 200 }, (_, index) => `t${index}`);
    const tools = ["t0", ...names].map(tool);
    expect(sessionTools({ tools }).map(({ name }) => name)).toEqual(names.slice(0, 128));
  });
});
