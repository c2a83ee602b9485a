import { describe, expect, it } from "vitest";
import { narrowedBy, parseListSearch, toFilter } from "./list-search.ts";

describe("what the list is narrowed to", () => {
  it("is read from an address, without what means nothing", () => {
    expect(
      parseListSearch({
        q: "build",
        repo: "r1",
        status: "active",
        state: "sleeping",
        phase: "planning",
        provider: "",
        archived: "1",
        other: "x",
      }),
    ).toEqual({ q: "build", repo: "r1", status: "active", phase: "planning", archived: true });
  });

  it("counts its filters without the words and the archived ones", () => {
    expect(narrowedBy({ q: "a", archived: true })).toBe(0);
    expect(narrowedBy({ q: "a", status: "error", repo: "r1" })).toBe(2);
  });

  it.each([
    ["active and suspended ones by default (A9)", {}, ["active", "suspended"]],
    ["archived ones too when asked (A9)", { archived: true }, ["active", "suspended", "archived"]],
    ["one status", { status: "error" }, ["error"]],
    ["one status and archived ones", { status: "error", archived: true }, ["error", "archived"]],
    ["archived ones once", { status: "archived", archived: true }, ["archived"]],
  ] as const)("asks for %s", (_, search, status) => {
    expect(toFilter(search)).toEqual({ status });
  });

  it("asks the server for everything", () => {
    expect(
      toFilter({ q: "a", repo: "r1", state: "idle", phase: "planning", provider: "demo" }),
    ).toEqual({
      status: ["active", "suspended"],
      q: "a",
      repoId: "r1",
      state: ["idle"],
      phase: "planning",
      provider: "demo",
    });
  });
});
