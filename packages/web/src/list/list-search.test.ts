import { describe, expect, it } from "vitest";
import { narrowedBy, parseListSearch, toFilter, unknownFilters } from "./list-search.ts";

describe("the filters of the list", () => {
  it("are parsed from a URL without invalid values", () => {
    expect(
      parseListSearch({
        q: "build",
        repo: "r1",
        status: "active",
        state: "sleeping",
        outcome: "failed",
        phase: "planning",
        provider: "",
        archived: "1",
        other: "x",
      }),
    ).toEqual({
      q: "build",
      repo: "r1",
      status: "active",
      outcome: "failed",
      phase: "planning",
      archived: true,
    });
  });

  it("without a meaning are listed, and those that are left empty are not", () => {
    expect(unknownFilters({ q: "build", state: "sleeping", provider: "", other: "x" })).toEqual([
      "state=sleeping",
      "other=x",
    ]);
    expect(unknownFilters({ outcome: "lost" })).toEqual(["outcome=lost"]);
    expect(unknownFilters({ state: "running", outcome: "failed", archived: "1" })).toEqual([]);
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
    expect(toFilter(search)).toEqual({ order: "turn", status });
  });

  it("are all sent to the server, except the state and the outcome", () => {
    expect(
      toFilter({
        q: "a",
        repo: "r1",
        state: "idle",
        outcome: "failed",
        phase: "planning",
        provider: "demo",
      }),
    ).toEqual({
      order: "turn",
      status: ["active", "suspended"],
      q: "a",
      repoId: "r1",
      phase: "planning",
      provider: "demo",
    });
  });
});
