import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, utimesSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { addTricks, type Tricks } from "../testing/add-tricks.ts";
import { openGitWorld, type GitWorld } from "../testing/worktree-world.ts";
import { createWorktreeGit } from "../worktree/worktree-git.ts";
import { commitAll } from "./commit-all.ts";
import { folderState } from "./folder-state.ts";
import { mergeInto } from "./merge-into.ts";
import { pushBranch } from "./push-branch.ts";
import { rebaseOnto } from "./rebase-onto.ts";

const BRANCH = "holdfast/work-1";

interface TrickyWorld extends GitWorld {
  readonly tricks: Tricks;
}

function openTrickyWorld(attributes: boolean): TrickyWorld {
  const world = openGitWorld();
  world.write("repo/lines", Array.from({ length: 30 }, (_, line) => `${line}\n`).join(""));
  world.write("repo/.gitignore", "*.env\n");
  world.commit(world.repo, "lines");
  world.write("repo/a.env", "x\n");
  const tricks = addTricks(world, { attributes });
  // Other times, so that Git must read the files.
  for (const name of ["file", "lines"]) utimesSync(path.join(world.repo, name), 1, 1);
  tricks.forget();
  return { ...world, tricks };
}

const request = (world: GitWorld) => ({ repository: world.repo, folder: world.worktree });

describe("a repository that names programs", () => {
  it("D7: runs them in plain Git", () => {
    const world = openTrickyWorld(true);
    const env = { ...world.options.environment, GIT_WORK_TREE: world.repo };
    spawnSync("git", ["commit", "-a", "-m", "x"], { cwd: world.repo, env });
    expect(world.tricks.ran()).toEqual(expect.arrayContaining(["clean", "fsmonitor", "process"]));
  });

  it("D7: runs none of them when a worktree is made, read, listed and removed", async () => {
    const world = openTrickyWorld(true);
    const { create, remove, list } = createWorktreeGit(world.options);
    const made = await create({ ...request(world), branch: BRANCH, base: "main", copy: ["*.env"] });
    expect(made).toMatchObject({ branch: BRANCH, copied: ["a.env"] });
    world.write("worktrees/one/file", "two\n");
    world.write("worktrees/one/lines", "two\n");
    const work = { folder: world.worktree, other: "main" };
    expect(await folderState(work, world.options)).toMatchObject({ isClean: false });
    expect(await list({ repository: world.repo })).toHaveLength(1);
    const keepAs = "refs/holdfast/session/worktree";
    const removed = await remove({ ...request(world), branch: BRANCH, keepAs, force: true });
    expect(removed).toMatchObject({ removed: true, branchRemoved: true });
    expect([world.tricks.ran(), existsSync(path.join(world.folder, "elsewhere"))]).toEqual([
      [],
      false,
    ]);
  });

  it("D7: runs none of them when work is committed, merged, rebased and pushed", async () => {
    const world = openTrickyWorld(false);
    const { repo, worktree, options, tricks } = world;
    const { create } = createWorktreeGit(options);
    await create({ ...request(world), branch: BRANCH, base: "main", copy: [] });
    const change = async (folder: string, line: string, to = "changed"): Promise<void> => {
      const file = `${path.relative(world.folder, folder)}/lines`;
      world.write(file, world.read(file).replace(`${line}\n`, `${line} ${to}\n`));
      const commit = { folder, message: line, hooks: false };
      expect(await commitAll(commit, options)).toMatchObject({ committed: true });
    };
    await change(repo, "3");
    await change(worktree, "27");
    expect(await rebaseOnto({ folder: worktree, onto: "main" }, options)).toMatchObject({
      replayed: 1,
    });
    await change(repo, "5");
    const merge = { repository: repo, worktreeFolder: worktree, branch: BRANCH, into: "main" };
    expect(await mergeInto(merge, options)).toMatchObject({ merged: true, how: "merge" });
    expect(world.read("repo/lines")).toMatch(/3 changed\n[^]*5 changed\n[^]*27 changed\n/u);
    await change(repo, "9");
    await change(worktree, "9", "otherwise");
    const conflict = { ...merge, branch: "main", into: BRANCH, worktreeFolder: null };
    expect(await mergeInto(conflict, options)).toMatchObject({
      why: "conflicts",
      files: ["lines"],
    });
    const remote = path.join(world.folder, "remote.git");
    mkdirSync(remote);
    spawnSync("git", ["init", "--quiet", "--bare", remote]);
    const push = { folder: worktree, remote: `file://${remote}`, branch: BRANCH };
    const signal = AbortSignal.timeout(30_000);
    const pushed = await pushBranch({ ...push, signal }, options);
    expect([tricks.ran(), pushed]).toMatchObject([[], { pushed: true }]);
    expect([tricks.ran(), existsSync(path.join(world.folder, "elsewhere"))]).toEqual([[], false]);
  });

  it("D7: runs its hooks on request, in the sandbox, and nothing else", async () => {
    const world = openTrickyWorld(false);
    const enclosed: (readonly string[])[] = [];
    const options = {
      ...world.options,
      enclose: (program: Parameters<NonNullable<GitWorld["options"]["enclose"]>>[0]) => {
        if (program.runsCodeOfRepository === true) enclosed.push(program.command);
        return program;
      },
    };
    world.write("repo/lines", "changed\n");
    const result = await commitAll({ folder: world.repo, message: "x", hooks: true }, options);
    expect(result).toMatchObject({ committed: true });
    const hooks = ["commit-msg", "post-commit", "pre-commit", "prepare-commit-msg"];
    expect(world.tricks.ran()).toEqual(hooks.map((name) => `hook-${name}`));
    expect(enclosed).toHaveLength(hooks.length);
  });

  it("D7: cannot make a commit of files that its filters would convert", async () => {
    const world = openTrickyWorld(true);
    world.write("repo/file", "changed\n");
    const request = { folder: world.repo, message: "x", hooks: false };
    await expect(commitAll(request, world.options)).rejects.toThrow(
      'converted by the filter "evil"',
    );
    expect(world.tricks.ran()).toEqual([]);
  });
});
