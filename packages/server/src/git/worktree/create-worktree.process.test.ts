import {
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { GitFault } from "../git-fault.ts";
import { openGitWorld, type GitWorld } from "../testing/worktree-world.ts";
import { beginMaking } from "../work-folder.ts";
import { createWorktree, type CreateRequest } from "./create-worktree.ts";
import { removeWorktree } from "./remove-worktree.ts";

const BRANCH = "holdfast/work-12345678";

const request = (world: GitWorld, more: Partial<CreateRequest> = {}): CreateRequest => ({
  repository: world.repo,
  folder: world.worktree,
  branch: BRANCH,
  base: null,
  copy: [],
  ...more,
});

const create = (world: GitWorld, more: Partial<CreateRequest> = {}) =>
  createWorktree(request(world, more), world.options);

describe("a worktree of a session", () => {
  it("D7: is on a new branch, with the files of the commit, and Git works in it", async () => {
    const world = openGitWorld();
    const { git, repo, worktree } = world;
    const head = git(repo, "rev-parse", "HEAD").trim();
    expect(await create(world)).toEqual({
      branch: BRANCH,
      base: head,
      folder: worktree,
      existed: false,
      copied: [],
      leftOut: [],
    });
    expect([
      git(worktree, "status", "--porcelain", "--branch"),
      git(worktree, "rev-parse", "HEAD").trim(),
      world.read("worktrees/one/src/deep/code"),
      git(worktree, "fsck", "--strict", "--no-dangling"),
      git(repo, "worktree", "list", "--porcelain").includes("locked"),
    ]).toEqual([`## ${BRANCH}\n`, head, "code\n", "", false]);
    world.write("worktrees/one/file", "two\n");
    world.commit(worktree, "in the worktree");
    expect(git(repo, "log", "--format=%s", BRANCH)).toBe("in the worktree\nfirst\n");
  });

  it("D7: leaves the index, the files and the branch of the repository as they are", async () => {
    const world = openGitWorld();
    const { git, repo } = world;
    world.write("repo/staged", "staged\n");
    git(repo, "add", "staged");
    world.write("repo/staged", "changed after\n");
    world.write("repo/new", "new\n");
    const stateOf = () => [
      git(repo, "status", "--porcelain", "--branch"),
      git(repo, "diff", "--cached"),
      git(repo, "diff"),
      git(repo, "stash", "list"),
      git(repo, "symbolic-ref", "HEAD"),
      readdirSync(repo),
    ];
    const before = stateOf();
    await create(world);
    expect(stateOf()).toEqual(before);
  });

  it("D7: begins at a branch, a tag or a commit", async () => {
    const world = openGitWorld();
    const { git, repo } = world;
    const first = git(repo, "rev-parse", "HEAD").trim();
    git(repo, "tag", "-a", "-m", "tag", "v1");
    git(repo, "branch", "old");
    world.write("repo/file", "two\n");
    world.commit(repo, "second");
    for (const [index, base] of ["old", "v1", first, first.slice(0, 12)].entries()) {
      const folder = `${world.worktree}-${index}`;
      expect(await create(world, { base, folder })).toMatchObject({
        base: first,
        branch: index === 0 ? BRANCH : `${BRANCH}-${index + 1}`,
      });
      expect(git(folder, "status", "--porcelain")).toBe("");
    }
  });

  it("D7: can be made from another worktree, and begins at the commit there", async () => {
    const world = openGitWorld();
    await create(world);
    world.write("worktrees/one/file", "two\n");
    const commit = world.commit(world.worktree, "second");
    const folder = `${world.worktree}-other`;
    expect(await create(world, { repository: world.worktree, folder })).toMatchObject({
      base: commit,
      branch: `${BRANCH}-2`,
    });
    expect(world.git(world.repo, "worktree", "list").split("\n")).toHaveLength(4);
  });

  it("D7: is made once if it is asked for twice, and keeps its base", async () => {
    const world = openGitWorld();
    const first = await create(world);
    world.write("worktrees/one/file", "mine\n");
    world.commit(world.repo, "later");
    expect(await create(world)).toEqual({ ...first, existed: true });
    expect(world.read("worktrees/one/file")).toBe("mine\n");
    expect(world.git(world.repo, "branch", "--list", "holdfast/*").trim()).toBe(`+ ${BRANCH}`);
  });

  it("D7: is refused without a commit, with an unknown base, and with a bad branch", async () => {
    const world = openGitWorld();
    const empty = path.join(world.folder, "empty");
    mkdirSync(empty);
    world.git(empty, "init", "--quiet");
    const refusals: readonly [Partial<CreateRequest>, string][] = [
      [{ repository: empty }, "The repository has no commit yet"],
      [{ base: "nowhere" }, 'The repository has no commit, branch or tag "nowhere".'],
      [{ base: "--all" }, 'The repository has no commit, branch or tag "--all".'],
      [{ branch: "a..b" }, '"a..b" is not a valid name of a branch.'],
      [{ branch: "-d" }, '"-d" is not a valid name of a branch.'],
      [
        { branch: "main/inner" },
        'The branch "main/inner" cannot be made beside the other branches.',
      ],
      [{ repository: world.home }, "Git cannot be used here: it is not a Git repository."],
      [{ folder: "relative" }, "relative is not the absolute path of a folder."],
    ];
    for (const [more, message] of refusals)
      await expect(create(world, more)).rejects.toThrow(message);
    expect([
      existsSync(world.worktree),
      existsSync(path.join(world.repo, ".git", "worktrees")),
      world.git(world.repo, "branch", "--format=%(refname:short)"),
    ]).toEqual([false, false, "main\n"]);
  });

  it("D7: is refused in a folder with files, in another worktree, and through a link", async () => {
    const world = openGitWorld();
    const { git, repo, worktree, folder } = world;
    const full = path.join(folder, "full");
    world.write("full/file", "mine\n");
    const users = path.join(folder, "users");
    git(repo, "worktree", "add", "--quiet", users);
    const link = path.join(folder, "link");
    mkdirSync(worktree, { recursive: true });
    symlinkSync(worktree, link);
    for (const each of [full, users, link, repo]) {
      await expect(create(world, { folder: each })).rejects.toThrow(GitFault);
    }
    expect([world.read("full/file"), git(users, "status", "--porcelain")]).toEqual(["mine\n", ""]);
    // An empty folder is nothing.
    expect(await create(world)).toMatchObject({ existed: false });
  });

  it("D7: of which only a part was made is made anew", async () => {
    const world = openGitWorld();
    const { git, repo, worktree } = world;
    const head = git(repo, "rev-parse", "HEAD").trim();
    const reason = `Holdfast is making ${JSON.stringify(worktree)} from ${head}`;
    const add = ["worktree", "add", "--lock", "--reason", reason, "--quiet"];
    await beginMaking(worktree, world.options);
    git(repo, ...add, "-b", BRANCH, worktree, head);
    writeFileSync(path.join(worktree, "file"), "half\n");
    expect(await create(world)).toMatchObject({ branch: BRANCH, existed: false });
    expect([world.read("worktrees/one/file"), git(worktree, "status", "--porcelain")]).toEqual([
      "one\n",
      "",
    ]);
    // Git was killed before it wrote where the worktree is.
    const other = `${worktree}-2`;
    await beginMaking(other, world.options);
    mkdirSync(path.join(repo, ".git", "worktrees", "odd"));
    writeFileSync(
      path.join(repo, ".git", "worktrees", "odd", "locked"),
      `Holdfast is making ${JSON.stringify(other)} from ${head}\n`,
    );
    expect(await create(world, { folder: other })).toMatchObject({ branch: `${BRANCH}-2` });
    expect(readdirSync(path.join(repo, ".git", "worktrees")).toSorted()).toEqual(["one", "one-2"]);
  });

  it("D7: is made while another process makes a worktree, of which one file is still empty", async () => {
    const world = openGitWorld();
    const other = "repo/.git/worktrees/other";
    world.write(`${other}/gitdir`, path.join(world.folder, "other", ".git\n"));
    world.write(`${other}/HEAD`, `${world.git(world.repo, "rev-parse", "HEAD")}`);
    world.write(`${other}/commondir`, "");
    expect(() => world.git(world.repo, "worktree", "list")).toThrow(/commondir: Success/u);
    setTimeout(() => world.write(`${other}/commondir`, "../..\n"), 500);
    expect(await create(world)).toMatchObject({ branch: BRANCH, existed: false });
  });

  it("D7: is made although a command of a killed server has just written into its folder", async () => {
    const world = openGitWorld();
    const { worktree } = world;
    await beginMaking(worktree, world.options);
    mkdirSync(worktree, { recursive: true });
    writeFileSync(path.join(worktree, ".git"), "late\n");
    const data = path.join(world.options.dataFolder, "work");
    const note = path.join(data, readdirSync(data).find((name) => name.endsWith(".making")) ?? "");
    utimesSync(note, 1, 1);
    const making = create(world);
    // The note is written again when the first attempt has failed. Then that command ends.
    await expect.poll(() => statSync(note).mtimeMs, { timeout: 20_000 }).toBeGreaterThan(1_000);
    rmSync(path.join(worktree, ".git"));
    expect(await making).toMatchObject({ branch: BRANCH, existed: false });
  });

  it("D7: is not removed because an agent has written that it is only a part", async () => {
    const world = openGitWorld();
    const { git, repo, worktree } = world;
    const made = await create(world);
    world.write("worktrees/one/file", "mine\n");
    const lock = `Holdfast is making ${JSON.stringify(worktree)} from ${made.base}\n`;
    world.write("repo/.git/worktrees/one/locked", lock);
    expect(await create(world)).toMatchObject({ existed: true });
    const request = { repository: repo, folder: worktree, branch: BRANCH, force: false };
    const keepAs = "refs/holdfast/session/worktree";
    expect(await removeWorktree({ ...request, keepAs }, world.options)).toMatchObject({
      removed: false,
      why: "locked",
    });
    git(repo, "worktree", "unlock", worktree);
    world.write("repo/.git/worktrees/odd/locked", lock);
    expect(await create(world)).toMatchObject({ existed: true });
    expect(world.read("worktrees/one/file")).toBe("mine\n");
  });
});
