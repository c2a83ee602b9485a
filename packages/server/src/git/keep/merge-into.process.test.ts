import { existsSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { openGitWorld, type GitWorld } from "../testing/worktree-world.ts";
import { createWorktree } from "../worktree/create-worktree.ts";
import { mergeInto, type MergeRequest } from "./merge-into.ts";
import { refuseOldGit } from "./merge-trees.ts";
import { rebaseOnto } from "./rebase-onto.ts";

const BRANCH = "holdfast/work-1";

/** A worktree with one commit that changes `file`. */
async function openWorld(): Promise<GitWorld> {
  const world = openGitWorld();
  world.write("repo/lines", Array.from({ length: 30 }, (_, line) => `${line}\n`).join(""));
  world.write("repo/.gitignore", "*.log\n");
  world.commit(world.repo, "lines");
  await createWorktree(
    { repository: world.repo, folder: world.worktree, branch: BRANCH, base: null, copy: [] },
    world.options,
  );
  world.write("worktrees/one/file", "two\n");
  world.write("worktrees/one/new/deep", "new\n");
  world.commit(world.worktree, "mine");
  return world;
}

const merge = (world: GitWorld, more: Partial<MergeRequest> = {}) =>
  mergeInto(
    {
      repository: world.repo,
      worktreeFolder: world.worktree,
      branch: BRANCH,
      into: "main",
      ...more,
    },
    world.options,
  );

const rebase = (world: GitWorld, onto = "main") =>
  rebaseOnto({ folder: world.worktree, onto }, world.options);

/** Everything that must not change when a merge is refused. */
const stateOf = ({ git, repo, worktree }: GitWorld) => [
  git(repo, "for-each-ref"),
  git(repo, "status", "--porcelain", "--branch", "--ignored"),
  git(worktree, "status", "--porcelain", "--branch"),
  readFileSync(path.join(repo, ".git", "index")),
  git(repo, "diff"),
];

describe("a merge", () => {
  it("D7: moves the branch forward if it can, with the files of the folder", async () => {
    const world = await openWorld();
    const { git, repo } = world;
    world.write("repo/mine.txt", "not tracked\n");
    const commit = git(repo, "rev-parse", BRANCH).trim();
    expect(await merge(world)).toEqual({ merged: true, how: "fast_forward", commit });
    expect([
      git(repo, "rev-parse", "main").trim(),
      git(repo, "status", "--porcelain", "--branch"),
      world.read("repo/file"),
      world.read("repo/new/deep"),
      git(repo, "reflog", "-1", "--format=%gs"),
    ]).toEqual([
      commit,
      "## main\n?? mine.txt\n",
      "two\n",
      "new\n",
      `merge ${BRANCH}: Fast-forward\n`,
    ]);
    expect(await merge(world)).toEqual({ merged: true, how: "nothing", commit });
  });

  it("D7: makes a commit of the user with both parents", async () => {
    const world = await openWorld();
    const { git, repo } = world;
    world.write("repo/other", "other\n");
    rmSync(path.join(repo, "src"), { recursive: true });
    const [ours, theirs] = [world.commit(repo, "ours"), git(repo, "rev-parse", BRANCH).trim()];
    const result = await merge(world);
    expect(result).toMatchObject({ merged: true, how: "merge" });
    expect([
      git(repo, "log", "-1", "--format=%P|%an|%s", "main"),
      git(repo, "status", "--porcelain"),
      world.read("repo/file"),
      world.read("repo/other"),
    ]).toEqual([
      `${ours} ${theirs}|Ann|Merge branch '${BRANCH}' into main\n`,
      "",
      "two\n",
      "other\n",
    ]);
    git(repo, "fsck", "--strict");
  });

  it("D7: moves a branch that is checked out nowhere, or in another worktree", async () => {
    const world = await openWorld();
    const { git, repo } = world;
    git(repo, "branch", "quiet");
    expect(await merge(world, { into: "quiet" })).toMatchObject({ how: "fast_forward" });
    expect([git(repo, "status", "--porcelain"), world.read("repo/file")]).toEqual(["", "one\n"]);
    const users = path.join(world.folder, "users");
    git(repo, "worktree", "add", "--quiet", "-b", "users", users, "main");
    expect(await merge(world, { into: "users" })).toMatchObject({ how: "fast_forward" });
    expect([git(users, "status", "--porcelain"), world.read("users/file")]).toEqual(["", "two\n"]);
  });

  it("D7: with conflicts names the files and changes nothing", async () => {
    const world = await openWorld();
    world.write("repo/file", "ours\n");
    world.write("repo/new/deep", "ours\n");
    world.commit(world.repo, "ours");
    const before = stateOf(world);
    expect(await merge(world)).toEqual({
      merged: false,
      why: "conflicts",
      files: ["file", "new/deep"],
    });
    expect(stateOf(world)).toEqual(before);
  });

  it.each<[string, (world: GitWorld) => void, object]>([
    [
      "the folder has changes",
      (world) => world.write("repo/lines", "changed\n"),
      { why: "not_clean", files: ["lines"] },
    ],
    [
      "something is staged",
      (world) => {
        world.write("repo/staged", "x\n");
        world.git(world.repo, "add", "staged");
        rmSync(path.join(world.repo, "staged"));
      },
      { why: "not_clean", files: ["staged"] },
    ],
    [
      "a change is hidden",
      (world) => {
        world.git(world.repo, "update-index", "--skip-worktree", "file");
        world.write("repo/file", "hidden\n");
      },
      { why: "not_clean", files: ["file"] },
    ],
    [
      "a new file is in the way",
      (world) => world.write("repo/new/deep", "mine\n"),
      { why: "in_the_way", files: ["new/deep"] },
    ],
    [
      "a file is in the place of a folder",
      (world) => world.write("repo/new", "mine\n"),
      { why: "in_the_way", files: ["new/deep"] },
    ],
    [
      "a link is in the place of a folder",
      (world) => symlinkSync(world.home, path.join(world.repo, "new")),
      { why: "in_the_way", files: ["new/deep"] },
    ],
    [
      "the worktree has work that is not committed",
      (world) => world.write("worktrees/one/lines", "later\n"),
      { why: "not_committed", files: ["lines"] },
    ],
  ])("D7: is refused, and changes nothing, if %s", async (_name, prepare, expected) => {
    const world = await openWorld();
    prepare(world);
    const before = stateOf(world);
    expect(await merge(world)).toMatchObject({ merged: false, ...expected });
    expect(stateOf(world)).toEqual(before);
    expect(existsSync(path.join(world.home, "deep"))).toBe(false);
  });

  it("D7: does not overwrite an ignored file", async () => {
    const world = await openWorld();
    world.write("worktrees/one/a.log", "tracked\n");
    world.git(world.worktree, "add", "-f", "a.log");
    world.commit(world.worktree, "a log");
    world.write("repo/a.log", "mine\n");
    expect(await merge(world)).toMatchObject({ why: "in_the_way", files: ["a.log"] });
    expect(world.read("repo/a.log")).toBe("mine\n");
  });

  it("D7: is refused clearly with an unknown branch, during another merge, and with an old Git", async () => {
    const world = await openWorld();
    await expect(merge(world, { into: "nowhere" })).rejects.toThrow(
      'The repository has no branch "nowhere".',
    );
    world.write("repo/.git/MERGE_HEAD", "x");
    await expect(merge(world)).rejects.toThrow("A merge is not finished");
    expect(() => refuseOldGit("git version 2.37.9")).toThrow(
      "Merging needs Git 2.38 or newer; this is Git 2.37.9.",
    );
    expect(() => refuseOldGit("git version 2.38.0.windows.1")).not.toThrow();
  });
});

describe("a rebase", () => {
  it("D7: replays the commits in order, with authors, dates and messages", async () => {
    const world = await openWorld();
    const { git, repo, worktree } = world;
    world.write("worktrees/one/lines", world.read("repo/lines").replace("25\n", "25 mine\n"));
    git(worktree, "add", "-A");
    const author = ["--author=Bob <bob@example.com>", "--date=2001-02-03T04:05:06+0700"];
    git(worktree, "commit", "--quiet", ...author, "-m", "Title\n\nBody with ü");
    git(worktree, "commit", "--quiet", "--allow-empty", "-m", "empty");
    world.write("repo/lines", world.read("repo/lines").replace("5\n", "5 ours\n"));
    const onto = world.commit(repo, "ours");
    expect(await rebase(world)).toMatchObject({ rebased: true, replayed: 3 });
    expect([
      git(worktree, "log", "--format=%an|%ae|%ad|%cn|%B", "--date=iso", "main..HEAD"),
      git(worktree, "rev-parse", "HEAD~3").trim(),
      git(worktree, "status", "--porcelain", "--branch"),
      git(worktree, "diff", "--stat", "main", "HEAD", "--", "lines").includes("2 +-"),
    ]).toEqual([
      expect.stringMatching(
        /^Ann\|.*\|empty\n\nBob\|bob@example.com\|2001-02-03 04:05:06 \+0700\|Ann\|Title\n\nBody with ü\n\nAnn\|.*\|mine\n\n$/u,
      ),
      onto,
      `## ${BRANCH}\n`,
      true,
    ]);
    git(repo, "fsck", "--strict");
    expect(await rebase(world)).toMatchObject({ rebased: true, replayed: 0 });
  });

  it("D7: leaves out what is there already, and goes forward without commits", async () => {
    const world = await openWorld();
    const { git, repo, worktree } = world;
    git(repo, "commit", "--quiet", "--allow-empty", "-m", "other");
    git(repo, "cherry-pick", BRANCH);
    expect(await rebase(world)).toMatchObject({ rebased: true, replayed: 0 });
    expect(git(worktree, "rev-parse", "HEAD")).toBe(git(repo, "rev-parse", "main"));
    expect(git(worktree, "status", "--porcelain")).toBe("");
  });

  it("D7: with conflicts names the commit and the files, and changes nothing", async () => {
    const world = await openWorld();
    const { git, repo, worktree } = world;
    world.write("worktrees/one/lines", "all mine\n");
    const bad = world.commit(worktree, "conflicting");
    world.write("repo/lines", "all ours\n");
    world.commit(repo, "ours");
    const before = stateOf(world);
    expect(await rebase(world)).toEqual({
      rebased: false,
      why: "conflicts",
      commit: bad,
      files: ["lines"],
    });
    expect(stateOf(world)).toEqual(before);
    await expect(rebase(world, "nowhere")).rejects.toThrow(
      'The repository has no commit, branch or tag "nowhere".',
    );
    git(worktree, "checkout", "--quiet", "--detach");
    await expect(rebase(world)).rejects.toThrow("No branch is checked out");
  });

  it("D7: is refused with work that is not committed", async () => {
    const world = await openWorld();
    world.commit(world.repo, "ours");
    world.write("worktrees/one/lines", "later\n");
    const before = stateOf(world);
    expect(await rebase(world)).toMatchObject({
      rebased: false,
      why: "not_clean",
      files: ["lines"],
    });
    expect(stateOf(world)).toEqual(before);
  });
});
