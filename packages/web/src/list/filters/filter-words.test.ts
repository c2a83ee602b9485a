import { expect, it } from "vitest";
import { chipsOf } from "./filter-words.ts";

const NAMES = {
  repositories: [{ id: "r1", name: "shop" }],
  agents: [{ name: "demo", title: "Demo agent" }],
};

it("names the filters that are set, and what remains without each", () => {
  const search = {
    q: "a",
    state: "running",
    repo: "r1",
    provider: "demo",
    archived: true,
  } as const;
  expect(chipsOf(search, NAMES).map(({ text }) => text)).toEqual([
    "shop",
    "Demo agent",
    "With archived",
  ]);
  expect(chipsOf(search, NAMES)[0]?.without).toEqual({
    q: "a",
    state: "running",
    provider: "demo",
    archived: true,
  });
});

it("says that it does not know a repository or an agent", () => {
  expect(chipsOf({ repo: "x", provider: "y" }, NAMES).map(({ text }) => text)).toEqual([
    "Unknown repository: x",
    "Unknown agent: y",
  ]);
});
