import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findRepositories } from "./find-repositories.ts";

describe("repositories in the workspace root", () => {
  let root: string;
  beforeEach(() => {
    root = realpathSync(mkdtempSync(path.join(tmpdir(), "holdfast-test-")));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const make = (...folders: readonly string[]): void => {
    for (const folder of folders) mkdirSync(path.join(root, folder), { recursive: true });
  };
  const names = async (known: readonly string[] = []): Promise<readonly string[]> => {
    const paths = new Set(known.map((name) => path.join(root, name)));
    const { found } = await findRepositories(root, { known: paths });
    return found.map((repository) => path.relative(root, repository.path));
  };

  it("A14 are found, nearest first, without those that are known", async () => {
    make("zoo/.git", "team/api/.git", "team/web/.git", "plain/src");
    expect(await names()).toEqual(["zoo", "team/api", "team/web"]);
    expect(await names(["team/api"])).toEqual(["zoo", "team/web"]);
  });

  it("A14 are the root itself, if it is one", async () => {
    make(".git", "inside/.git");
    expect(await names()).toEqual([""]);
  });

  it("A14 are not searched in links, hidden folders, packages, other repositories, or deep down", async () => {
    make("one/.git", "one/vendored/.git", ".cache/two/.git", "node_modules/three/.git");
    make("a/b/c/d/near/.git", "a/b/c/near/.git");
    symlinkSync("/", path.join(root, "everything"));
    symlinkSync(path.join(root, "one"), path.join(root, "again"));
    expect(await names()).toEqual(["one", "a/b/c/near"]);
  });

  it("A14 do not include worktrees, whose .git is a file", async () => {
    make("worktree");
    writeFileSync(path.join(root, "worktree/.git"), "gitdir: /elsewhere\n");
    expect(await names()).toEqual([]);
  });

  it("A14 are searched for a limited time", async () => {
    make("one/.git", "two/.git");
    let now = 0;
    const clock = (): number => (now += 200);
    expect(await findRepositories(root, { known: new Set(), clock })).toEqual({
      found: [],
      truncated: true,
    });
  });
});
