import { describe, expect, it } from "vitest";
import { narrowedBy, parseListSearch, toFilter } from "./list-search.ts";

describe("the filters of the list", () => {
  it("are parsed from a URL without invalid values", () => {
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

  it("are counted without the search words and archived sessions", () => {
    expect(narrowedBy({ q: "a", archived: true })).toBe(0);
    expect(narrowedBy({ q: "a", status: "error", repo: "r1" })).toBe(2);
  });

  it.each([
    ["active and suspended ones by default (A9)", {}, ["active", "suspended"]],
    ["archived ones too when asked (A9)", { archived: true }, ["active", "suspended", "archived"]],
    ["one status", { status: "error" }, ["error"]],
    ["one status and archived ones", { status: "error", archived: true }, ["error", "archived"]],
    ["archived ones once", { status: "archived", archived: true }, ["archived"]],
  ] as const)("request %s", (_, search, status) => {
    expect(toFilter(search)).toEqual({ status });
  });

  it("are all sent to the server", () => {
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
