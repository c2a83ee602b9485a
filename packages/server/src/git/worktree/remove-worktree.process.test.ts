import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { folderState } from "../keep/folder-state.ts";
import { openGitWorld, type GitWorld } from "../testing/worktree-world.ts";
import { openWorkFolder } from "../work-folder.ts";
import { createWorktree } from "./create-worktree.ts";
import { keepWork } from "./keep-work.ts";
import { removeWorktree, type RemoveRequest, type RemoveResult } from "./remove-worktree.ts";
import { readContent } from "./worktree-content.ts";
import { createWorktreeGit } from "./worktree-git.ts";

const BRANCH = "holdfast/work-12345678";
const KEEP = "refs/holdfast/session/worktree";

async function openWorld(): Promise<GitWorld> {
  const world = openGitWorld();
  await createWorktree(
    { repository: world.repo, folder: world.worktree, branch: BRANCH, base: null, copy: [] },
    world.options,
  );
  return world;
}

const remove = (world: GitWorld, more: Partial<RemoveRequest> = {}): Promise<RemoveResult> =>
  removeWorktree(
    {
      repository: world.repo,
      folder: world.worktree,
      branch: BRANCH,
      keepAs: KEEP,
      force: false,
      ...more,
    },
    world.options,
  );

const state = ({ worktree, options }: GitWorld, other = "main") =>
  folderState({ folder: worktree, other }, options);

const branches = ({ git, repo }: GitWorld): string =>
  git(repo, "branch", "--format=%(refname:short)");

/** All files with their content, except `.git`. */
function filesIn(folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return Object.fromEntries(
    names
      .filter((name) => !/^\.git(?:\/|$)/u.test(name))
      .flatMap((name) => {
        const file = path.join(folder, name);
        const stats = lstatSync(file);
        if (stats.isDirectory()) return [];
        if (stats.isSymbolicLink()) return [[name, `link ${readlinkSync(file)}`]];
        return [[name, `${stats.mode & 0o111} ${readFileSync(file).toString("base64")}`]];
      }),
  );
}

describe("the state of a worktree", () => {
  it("D7: says what is committed, and how far it is from its base", async () => {
    const world = await openWorld();
    const { repo, worktree } = world;
    const head = world.git(repo, "rev-parse", "HEAD").trim();
    const clean = { branch: BRANCH, isClean: true, changedFiles: 0 };
    expect(await state(world)).toEqual({ ...clean, ahead: 0, behind: 0 });
    world.write("worktrees/one/file", "two\n");
    expect(await state(world)).toMatchObject({ isClean: false, changedFiles: 1 });
    world.commit(worktree, "second");
    world.write("repo/other", "x\n");
    world.commit(repo, "main goes on");
    world.commit(repo, "and on");
    expect(await state(world)).toMatchObject({ isClean: true, ahead: 1, behind: 2 });
    expect(await state(world, head)).toMatchObject({ ahead: 1, behind: 0 });
    expect(await state(world, "nowhere")).toMatchObject({ ahead: null, behind: null });
    world.git(worktree, "checkout", "--quiet", "--detach");
    expect(await state(world)).toMatchObject({ branch: null, isClean: true });
  });

  it("D7: is not clean with new, staged or hidden changes, or another repository", async () => {
    const world = await openWorld();
    const { worktree, git } = world;
    const isClean = async (): Promise<boolean> => (await state(world)).isClean;
    world.write("worktrees/one/new", "new\n");
    expect(await isClean()).toBe(false);
    git(worktree, "add", "new");
    rmSync(path.join(worktree, "new"));
    expect(await isClean()).toBe(false);
    git(worktree, "reset", "--quiet", "--hard");
    expect(await isClean()).toBe(true);
    git(worktree, "update-index", "--assume-unchanged", "file");
    world.write("worktrees/one/file", "hidden\n");
    expect([git(worktree, "status", "--porcelain"), await isClean()]).toEqual(["", false]);
    world.write("worktrees/one/file", "one\n");
    expect(await isClean()).toBe(true);
    mkdirSync(path.join(worktree, "inner"));
    git(path.join(worktree, "inner"), "init", "--quiet");
    expect(await isClean()).toBe(false);
  });
});

describe("a worktree that is removed", () => {
  it("D7: takes its branch with it if there are no commits of its own", async () => {
    const world = await openWorld();
    expect(await remove(world)).toEqual({ removed: true, kept: null, branchRemoved: true });
    expect([existsSync(world.worktree), branches(world)]).toEqual([false, "main\n"]);
    expect(existsSync(path.join(world.repo, ".git", "worktrees"))).toBe(false);
    expect(await remove(world)).toEqual({ removed: true, kept: null, branchRemoved: false });
  });

  it("D7: keeps its branch and a ref if it has commits, unless another branch has them", async () => {
    const world = await openWorld();
    const { git, repo, worktree } = world;
    world.write("worktrees/one/file", "two\n");
    const commit = world.commit(worktree, "mine");
    const removed = await remove(world);
    expect(removed).toMatchObject({ removed: true, branchRemoved: false });
    expect(git(repo, "rev-parse", `${KEEP}^1`).trim()).toBe(commit);
    expect(branches(world)).toBe(`${BRANCH}\nmain\n`);
    git(repo, "merge", "--quiet", BRANCH);
    expect(await remove(world)).toMatchObject({ branchRemoved: true });
    expect(branches(world)).toBe("main\n");
  });

  it("D7: is refused with work that is not committed, and says what is there", async () => {
    const world = await openWorld();
    world.write("worktrees/one/file", "two\n");
    world.write("worktrees/one/new", "new\n");
    const before = filesIn(world.worktree);
    expect(await remove(world)).toEqual({
      removed: false,
      why: "not_clean",
      message: "There is work in the worktree that is not committed.",
      files: ["file", "new"],
      changedFiles: 2,
      repositories: [],
    });
    expect(filesIn(world.worktree)).toEqual(before);
  });

  it("D7: by force loses no byte: files, modes, links, the index and commits can be got back", async () => {
    const world = await openWorld();
    const { git, repo, worktree } = world;
    world.write("worktrees/one/committed", "committed\n");
    const commit = world.commit(worktree, "mine");
    world.write("worktrees/one/staged", "staged\n");
    git(worktree, "add", "staged");
    world.write("worktrees/one/staged", "changed after\n");
    world.write("worktrees/one/bytes", Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)));
    world.write("worktrees/one/program", "#!/bin/sh\n", 0o755);
    world.write("worktrees/one/crlf", "a\r\nb\r\n");
    world.write("worktrees/one/large", Buffer.alloc(70 * 1024 * 1024, "x"));
    symlinkSync("file", path.join(worktree, "link"));
    rmSync(path.join(worktree, "src"), { recursive: true });
    const before = filesIn(worktree);
    const result = await remove(world, { force: true });
    expect(result).toMatchObject({ removed: true, branchRemoved: false });
    expect(existsSync(worktree)).toBe(false);
    // Nothing but refs keeps it.
    git(repo, "branch", "-D", BRANCH);
    git(repo, "reflog", "expire", "--expire=now", "--all");
    git(repo, "gc", "--quiet", "--prune=now");
    const back = path.join(world.folder, "back");
    git(repo, "worktree", "add", "--quiet", "--detach", back, KEEP);
    expect(filesIn(back)).toEqual(before);
    expect([
      git(repo, "rev-parse", `${KEEP}^1`).trim(),
      git(repo, "show", `${KEEP}^2:staged`),
      git(repo, "show", `${KEEP}^1:committed`),
    ]).toEqual([commit, "staged\n", "committed\n"]);
  });

  it("D7: for the second time keeps what was kept the first time, too", async () => {
    const world = await openWorld();
    world.write("worktrees/one/new", "first\n");
    await remove(world, { force: true });
    await createWorktree(
      { repository: world.repo, folder: world.worktree, branch: BRANCH, base: null, copy: [] },
      world.options,
    );
    world.write("worktrees/one/new", "second\n");
    await remove(world, { force: true });
    expect([
      world.git(world.repo, "show", `${KEEP}:new`),
      world.git(world.repo, "show", `${KEEP}^2:new`),
    ]).toEqual(["second\n", "first\n"]);
  });

  it("D7: after an attempt that was cut off keeps what that one has kept, not the files that are left", async () => {
    const world = await openWorld();
    const { git, repo, worktree } = world;
    world.write("worktrees/one/new", "new\n");
    world.write("worktrees/one/file", "changed\n");
    const own = await openWorkFolder(worktree, world.options);
    const kept = await keepWork(own, await readContent(own), KEEP);
    rmSync(path.join(worktree, "new"));
    expect(await remove(world)).toEqual({ removed: true, kept, branchRemoved: true });
    expect([git(repo, "show", `${KEEP}:new`), git(repo, "show", `${KEEP}:file`)]).toEqual([
      "new\n",
      "changed\n",
    ]);
  });

  it("D7: is refused, even by force, if there is another repository in it", async () => {
    const world = await openWorld();
    const inner = path.join(world.worktree, "inner");
    mkdirSync(inner);
    world.git(inner, "init", "--quiet");
    world.write("worktrees/one/inner/file", "mine\n");
    expect(await remove(world, { force: true })).toMatchObject({
      removed: false,
      why: "cannot_be_kept",
      repositories: ["inner/"],
    });
    world.commit(inner, "mine");
    expect(await remove(world, { force: true })).toMatchObject({ repositories: ["inner"] });
    expect(world.read("worktrees/one/inner/file")).toBe("mine\n");
  });

  it("D7: deletes nothing outside: links are removed, not followed", async () => {
    const world = await openWorld();
    world.write("outside/deep/file", "mine\n");
    const before = filesIn(path.join(world.folder, "outside"));
    symlinkSync(path.join(world.folder, "outside"), path.join(world.worktree, "out"));
    world.write("worktrees/one/closed/deep/file", "x\n");
    chmodSync(path.join(world.worktree, "closed", "deep"), 0o500);
    expect(await remove(world, { force: true })).toMatchObject({ removed: true });
    expect([existsSync(world.worktree), filesIn(path.join(world.folder, "outside"))]).toEqual([
      false,
      before,
    ]);
  });

  it("D7: is only one that the repository knows, and no link to it", async () => {
    const world = await openWorld();
    const { repo, worktree, folder } = world;
    const [link, plain] = [path.join(folder, "link"), path.join(folder, "plain")];
    symlinkSync(worktree, link);
    world.write("plain/file", "mine\n");
    // It says that it is a worktree, but the repository does not know it.
    writeFileSync(path.join(plain, ".git"), readFileSync(path.join(worktree, ".git")));
    for (const each of [link, plain, repo, folder])
      expect(await remove(world, { folder: each, force: true })).toMatchObject({
        removed: false,
        why: "other",
      });
    // The folder was replaced by a link, or by other files.
    renameSync(worktree, `${worktree}-moved`);
    symlinkSync(plain, worktree);
    expect(await remove(world, { force: true })).toMatchObject({ removed: false, why: "other" });
    rmSync(worktree);
    world.write("worktrees/one/file", "something else\n");
    expect(await remove(world, { force: true })).toMatchObject({ removed: false, why: "other" });
    expect([world.read("plain/file"), world.read("worktrees/one/file")]).toEqual([
      "mine\n",
      "something else\n",
    ]);
  });

  it("D7: may have lost its folder before: commits and index are kept", async () => {
    const world = await openWorld();
    const { git, repo, worktree } = world;
    git(worktree, "checkout", "--quiet", "--detach");
    world.write("worktrees/one/file", "two\n");
    const commit = world.commit(worktree, "in no branch");
    world.write("worktrees/one/staged", "staged\n");
    git(worktree, "add", "staged");
    rmSync(worktree, { recursive: true });
    expect(await remove(world)).toMatchObject({ removed: true, branchRemoved: true });
    expect([
      git(repo, "rev-parse", `${KEEP}^1`).trim(),
      git(repo, "show", `${KEEP}:staged`),
    ]).toEqual([commit, "staged\n"]);
    expect(git(repo, "worktree", "list").trim().split("\n")).toHaveLength(1);
  });

  it("D7: is refused clearly if the repository was moved away, or the worktree is locked", async () => {
    const world = await openWorld();
    world.git(world.repo, "worktree", "lock", "--reason", "on a stick", world.worktree);
    expect(await remove(world)).toMatchObject({
      removed: false,
      why: "locked",
      message: "The worktree is locked: on a stick.",
    });
    renameSync(world.repo, `${world.repo}-moved`);
    await expect(remove(world)).rejects.toThrow("The repository");
    expect(world.read("worktrees/one/file")).toBe("one\n");
    await expect(remove(world, { keepAs: "refs/heads/main" })).rejects.toThrow(
      '"refs/heads/main" is not a ref in which Holdfast keeps work.',
    );
  });

  it("D7: is listed until it is removed; those of the user are not", async () => {
    const world = await openWorld();
    const { git, repo, worktree, options } = world;
    git(repo, "worktree", "add", "--quiet", path.join(world.folder, "users"));
    const worktrees = createWorktreeGit(options);
    const head = git(repo, "rev-parse", "HEAD").trim();
    const listed = { folder: worktree, branch: BRANCH, head, base: head };
    expect(await worktrees.list({ repository: repo })).toEqual([{ ...listed, state: "whole" }]);
    rmSync(worktree, { recursive: true });
    expect(await worktrees.list({ repository: repo })).toEqual([
      { ...listed, state: "without_folder" },
    ]);
    const request = {
      repository: repo,
      folder: worktree,
      branch: BRANCH,
      keepAs: KEEP,
      force: false,
    };
    // Both wait for each other.
    expect(await Promise.all([worktrees.remove(request), worktrees.remove(request)])).toMatchObject(
      [{ branchRemoved: true }, { branchRemoved: false }],
    );
    expect(await worktrees.list({ repository: repo })).toEqual([]);
  });
});
