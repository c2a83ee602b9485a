import { existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { openGitWorld, type GitWorld } from "../testing/worktree-world.ts";
import { createWorktree } from "../worktree/create-worktree.ts";
import { commitAll, type CommitRequest } from "./commit-all.ts";

const commit = (world: GitWorld, more: Partial<CommitRequest> = {}) =>
  commitAll(
    { folder: world.repo, message: "all", hooks: false, ...more },
    { ...world.options, enclose: (program) => program },
  );

const indexOf = (world: GitWorld): Buffer => readFileSync(path.join(world.repo, ".git", "index"));

describe("a commit of everything", () => {
  it("D7: contains what git add -A and git commit would, by the user", async () => {
    const world = openGitWorld();
    const { git, repo } = world;
    world.write("repo/.gitignore", "ignored\n");
    world.commit(repo, "rules");
    const before = git(repo, "rev-parse", "HEAD").trim();
    world.write("repo/file", "two\n");
    world.write("repo/new", "new\n", 0o755);
    world.write("repo/ignored", "no\n");
    world.write("repo/staged", "staged\n");
    git(repo, "add", "staged");
    world.write("repo/staged", "later\n");
    rmSync(path.join(repo, "src"), { recursive: true });
    const result = await commit(world, { message: "  Title  \n\n\n\nBody\n\n" });
    const head = git(repo, "rev-parse", "HEAD").trim();
    expect(result).toEqual({ committed: true, commit: head, files: 4 });
    expect([
      git(repo, "log", "-1", "--format=%P|%an|%ae|%cn|%B"),
      git(repo, "status", "--porcelain", "--branch"),
      git(repo, "ls-tree", "-r", "--name-only", "HEAD"),
      git(repo, "show", "HEAD:staged"),
      git(repo, "reflog", "-1", "--format=%gs|%gn"),
    ]).toEqual([
      `${before}|Ann|ann@example.com|Ann|  Title\n\nBody\n\n`,
      "## main\n",
      ".gitignore\nfile\nnew\nstaged\n",
      "later\n",
      "commit: Title|Ann\n",
    ]);
    git(repo, "fsck", "--strict");
  });

  it("D7: is the first commit of a repository, or one of a worktree, or without a branch", async () => {
    const world = openGitWorld();
    const { git } = world;
    const empty = path.join(world.folder, "empty");
    mkdirSync(empty);
    git(empty, "init", "--quiet");
    expect(await commit(world, { folder: empty })).toEqual({
      committed: false,
      why: "nothing_to_commit",
    });
    world.write("empty/file", "x\n");
    expect(await commit(world, { folder: empty })).toMatchObject({ committed: true, files: 1 });
    expect(git(empty, "status", "--porcelain", "--branch")).toBe("## main\n");
    const { repo, worktree } = world;
    const request = {
      repository: repo,
      folder: worktree,
      branch: "holdfast/a-1",
      base: null,
      copy: [],
    };
    await createWorktree(request, world.options);
    world.write("worktrees/one/file", "two\n");
    await commit(world, { folder: worktree });
    expect(git(repo, "log", "--format=%s", "holdfast/a-1")).toBe("all\nfirst\n");
    expect(git(repo, "log", "--format=%s", "main")).toBe("first\n");
    git(worktree, "checkout", "--quiet", "--detach");
    world.write("worktrees/one/file", "three\n");
    await commit(world, { folder: worktree });
    expect(git(worktree, "log", "--format=%s", "HEAD", "--not", "holdfast/a-1")).toBe("all\n");
  });

  it("D7: can have another author", async () => {
    const world = openGitWorld();
    world.write("repo/file", "two\n");
    await commit(world, { author: { name: "Agent", email: "agent@example.com" } });
    expect(world.git(world.repo, "log", "-1", "--format=%an|%ae|%cn")).toBe(
      "Agent|agent@example.com|Ann\n",
    );
    world.write("repo/file", "three\n");
    await expect(commit(world, { author: { name: "A\nb", email: "x" } })).rejects.toThrow(
      "The name or the address of the author contains characters that Git cannot keep.",
    );
  });

  it("D7: does not happen without changes, an identity, a message, or during a merge; the index stays", async () => {
    const world = openGitWorld();
    const { git, repo } = world;
    expect(await commit(world)).toEqual({ committed: false, why: "nothing_to_commit" });
    world.write("repo/file", "staged\n");
    git(repo, "add", "file");
    world.write("repo/file", "later\n");
    const before = [indexOf(world), git(repo, "rev-parse", "HEAD")];
    await expect(commit(world, { message: " \n" })).rejects.toThrow("A commit needs a message.");
    writeFileSync(path.join(repo, ".git", "MERGE_HEAD"), "x");
    await expect(commit(world)).rejects.toThrow("A merge is not finished");
    rmSync(path.join(repo, ".git", "MERGE_HEAD"));
    writeFileSync(path.join(repo, ".git", "index.lock"), "");
    await expect(commit(world)).rejects.toThrow(
      "Another program of Git is at work in this folder.",
    );
    rmSync(path.join(repo, ".git", "index.lock"));
    rmSync(path.join(world.home, ".gitconfig"));
    await expect(commit(world)).rejects.toThrow("Git does not know who you are.");
    expect([indexOf(world), git(repo, "rev-parse", "HEAD")]).toEqual(before);
  });

  it("D7: contains a change of the same length in the second in which the index was written", async () => {
    const world = openGitWorld();
    const { git, repo } = world;
    const [file, index] = [path.join(repo, "file"), path.join(repo, ".git", "index")];
    const second = 1_700_000_000;
    // Then only the times of the file and the index can tell.
    git(repo, "config", "core.trustctime", "false");
    utimesSync(file, second, second);
    git(repo, "update-index", "--refresh");
    writeFileSync(file, "two\n");
    utimesSync(file, second, second);
    utimesSync(index, second, second);
    expect(await commit(world)).toMatchObject({ committed: true, files: 1 });
    expect(git(repo, "show", "HEAD:file")).toBe("two\n");
  });

  it("D7: is refused for files that a filter would convert", async () => {
    const world = openGitWorld();
    world.git(world.repo, "config", "--global", "filter.lfs.clean", "cat");
    world.write("repo/plain", "x\n");
    expect(await commit(world)).toMatchObject({ committed: true });
    world.write("repo/.gitattributes", "*.bin filter=lfs\n");
    world.write("repo/large.bin", "x\n");
    await expect(commit(world)).rejects.toThrow(
      'The file large.bin is converted by the filter "lfs", which Holdfast does not run.',
    );
  });
});

describe("the hooks of a repository", () => {
  const hook = (world: GitWorld, name: string, script: string): void =>
    world.write(`repo/.git/hooks/${name}`, `#!/bin/sh\n${script}\n`, 0o755);

  it("D7: run only on request, and only with a sandbox", async () => {
    const world = openGitWorld();
    hook(world, "pre-commit", "touch ran");
    world.write("repo/file", "two\n");
    expect(await commit(world)).toMatchObject({ committed: true });
    expect(existsSync(path.join(world.repo, "ran"))).toBe(false);
    world.write("repo/file", "three\n");
    const request = { folder: world.repo, message: "all", hooks: true };
    await expect(commitAll(request, world.options)).rejects.toThrow(
      "The hooks of a repository run only in a sandbox, and there is none.",
    );
    expect(existsSync(path.join(world.repo, "ran"))).toBe(false);
  });

  it("D7: refuse a commit with their output, and nothing is committed or staged", async () => {
    const world = openGitWorld();
    hook(world, "pre-commit", "echo checking; git diff --cached --name-only >&2; exit 3");
    world.write("repo/file", "two\n");
    const before = [indexOf(world), world.git(world.repo, "rev-parse", "HEAD")];
    expect(await commit(world, { hooks: true })).toEqual({
      committed: false,
      why: "hook_failed",
      hook: "pre-commit",
      output: "checking\nfile\n",
    });
    expect([indexOf(world), world.git(world.repo, "rev-parse", "HEAD")]).toEqual(before);
    hook(world, "pre-commit", "exit 0");
    hook(world, "commit-msg", 'grep -q TICKET "$1" || { echo no ticket; exit 1; }');
    expect(await commit(world, { hooks: true })).toMatchObject({
      hook: "commit-msg",
      output: "no ticket\n",
    });
    expect(await commit(world, { hooks: true, message: "TICKET-1" })).toMatchObject({
      committed: true,
    });
  });

  it("D7: may change files and the message, also from another folder, and see no secrets", async () => {
    const world = openGitWorld();
    const { git, repo } = world;
    git(repo, "config", "core.hooksPath", ".hooks");
    world.write(
      "repo/.hooks/pre-commit",
      "#!/bin/sh\necho formatted > file\ngit add file\nenv > ../env\n",
      0o755,
    );
    world.write("repo/.hooks/prepare-commit-msg", '#!/bin/sh\necho "from $2" >> "$1"\n', 0o755);
    world.write(
      "repo/.hooks/post-commit",
      "#!/bin/sh\ngit log -1 --format=%s > ../after\nexit 1\n",
      0o755,
    );
    world.write("repo/file", "two\n");
    const environment = {
      ...world.options.environment,
      HOLDFAST_TOKEN: "secret",
      API_KEY: "secret",
    };
    const result = await commitAll(
      { folder: repo, message: "all", hooks: true },
      { ...world.options, environment, enclose: (program) => program },
    );
    expect(result).toMatchObject({ committed: true });
    expect([
      git(repo, "show", "HEAD:file"),
      git(repo, "log", "-1", "--format=%B"),
      git(repo, "status", "--porcelain"),
      world.read("after"),
      world.read("env").includes("secret"),
    ]).toEqual(["formatted\n", "all\nfrom message\n\n", "", "all from message\n", false]);
  });
});
