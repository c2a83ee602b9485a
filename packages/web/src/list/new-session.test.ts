import { describe, expect, it } from "vitest";
import { firstWords } from "../api/first-words.ts";
import { choicesOf, keepLastChoice, readLastChoice, toRequest, withOption } from "./new-session.ts";

const EMPTY = {
  repoId: "r1",
  provider: "",
  model: "",
  mode: "",
  options: {},
  title: "",
  message: "",
  workspace: "" as const,
  base: "",
  mcpServers: "",
  directories: "",
};

describe("a new session", () => {
  it("contains only the filled-in fields", () => {
    expect(toRequest(EMPTY)).toEqual({ repoId: "r1" });
    expect(
      toRequest({
        ...EMPTY,
        provider: "demo",
        model: "m",
        mode: "plan",
        title: " T ",
        message: " Hi\n",
      }),
    ).toEqual({
      repoId: "r1",
      provider: "demo",
      model: "m",
      mode: "plan",
      title: "T",
      message: "Hi",
    });
  });

  it("D7 names the workspace if one is chosen, and a base only for a worktree", () => {
    const shared = { ...EMPTY, workspace: "shared" as const, base: "main" };
    expect(toRequest(shared)).toEqual({ repoId: "r1", workspace: "shared" });
    const worktree = { ...EMPTY, workspace: "worktree" as const };
    expect(toRequest(worktree)).toEqual({ repoId: "r1", workspace: "worktree" });
    expect(toRequest({ ...worktree, base: " main " })).toEqual({
      repoId: "r1",
      workspace: "worktree",
      base: "main",
    });
  });

  it("D3 has the options that are not left at their defaults", () => {
    const about = { description: null, category: null };
    const effort = {
      ...about,
      id: "effort",
      name: "Effort",
      type: "select" as const,
      value: "low",
      choices: ["low", "high"].map((id) => ({ id, name: id.toUpperCase(), description: null })),
    };
    const fast = {
      ...about,
      id: "fast",
      name: "Fast",
      type: "boolean" as const,
      value: null,
      choices: [],
    };
    expect(choicesOf(effort)).toEqual([
      ["", "Default (LOW)"],
      ["low", "LOW"],
      ["high", "HIGH"],
    ]);
    expect(choicesOf(fast)).toEqual([
      ["", "Default"],
      ["true", "On"],
      ["false", "Off"],
    ]);
    const options = withOption(withOption({}, effort, "high"), fast, "false");
    expect(toRequest({ ...EMPTY, options })).toEqual({ repoId: "r1", options });
    expect(options).toEqual({ effort: "high", fast: false });
    expect(withOption(options, fast, "")).toEqual({ effort: "high" });
  });

  it("has MCP servers, also in the form of other programs, and directories (D3)", () => {
    const servers = { docs: { type: "http", url: "https://example.com" } };
    for (const value of [servers, { mcpServers: servers }])
      expect(toRequest({ ...EMPTY, mcpServers: JSON.stringify(value) })).toEqual({
        repoId: "r1",
        mcpServers: servers,
      });
    expect(toRequest({ ...EMPTY, directories: " /a \n\n/b" }).directories).toEqual(["/a", "/b"]);
    for (const mcpServers of ["{", "[]", '{"mcpServers": 1}'])
      expect(() => toRequest({ ...EMPTY, mcpServers })).toThrow("must be a JSON object");
  });

  it("is named by the first words of its message", () => {
    expect(toRequest({ ...EMPTY, message: "Fix  it\nnow" }).title).toBe("Fix it");
    expect(firstWords(`${"word ".repeat(30)}`)).toBe(`${"word ".repeat(15)}word…`);
    expect(firstWords("x".repeat(200))).toBe(`${"x".repeat(80)}…`);
  });

  it("starts with the last choice", () => {
    const kept = new Map<string, string>();
    const storage = {
      get: (key: string) => kept.get(key) ?? null,
      set: (key: string, value: string | null) => void kept.set(key, value ?? ""),
    };
    expect(readLastChoice(storage)).toEqual({});
    keepLastChoice(storage, { ...EMPTY, provider: "demo", message: "secret" });
    expect(readLastChoice(storage)).toEqual({ repoId: "r1", provider: "demo", model: "" });
  });

  it.each(["{", "null", "[1]", '{"provider":1}'])("ignores %s in the storage", (text) => {
    expect(readLastChoice({ get: () => text, set: () => {} })).toEqual({});
  });
});
