import { expect, it } from "vitest";
import { outsideOf, pathsIn } from "./outside.ts";

const REPO = { repository: "/work/shop", worktree: null };
const TREE = { repository: "/work/shop", worktree: "/data/trees/one" };

it.each([
  ["/work/shop/src/a.ts", null],
  ["src/a.ts", null],
  ["/work/shop", null],
  ["https://example.com/a", null],
  ["/etc/hosts", "/etc/hosts"],
  ["../other/a.ts", "/work/other/a.ts"],
  ["/work/shop/../shop-two/a.ts", "/work/shop-two/a.ts"],
  ["/work/shop-two/a.ts", "/work/shop-two/a.ts"],
  ["~/.ssh/config", "~/.ssh/config"],
])("%s leads outside of the repository to: %s (C3)", (path, away) => {
  expect(outsideOf([path], REPO)).toEqual(
    away === null ? null : { of: "repository", paths: [away] },
  );
});

it("a file of the repository is outside of the worktree (C3)", () => {
  const of = (path: string) => outsideOf([path], TREE)?.of ?? null;
  expect([of("/work/shop/a.ts"), of("/etc/hosts"), of("/data/trees/one/a.ts"), of("a.ts")]).toEqual(
    ["worktree", "repository", null, null],
  );
});

it("nothing is outside of an unknown folder", () => {
  expect(outsideOf(["/etc/hosts"], { repository: null, worktree: null })).toBeNull();
});

it("the paths of an input are found under the names that agents use", () => {
  expect(
    pathsIn({ file_path: "/a", paths: ["/b", 7], content: "/c", cwd: "/d", path: "" }),
  ).toEqual(["/a", "/b", "/d"]);
  expect(pathsIn("text")).toEqual([]);
});
