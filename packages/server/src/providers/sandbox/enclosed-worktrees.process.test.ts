import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { commitAll } from "../../git/keep/commit-all.ts";
import { folderState } from "../../git/keep/folder-state.ts";
import { mergeInto } from "../../git/keep/merge-into.ts";
import { pushBranch } from "../../git/keep/push-branch.ts";
import { rebaseOnto } from "../../git/keep/rebase-onto.ts";
import type { GitOptions } from "../../git/own-git-folder.ts";
import { createWorktreeGit } from "../../git/worktree/worktree-git.ts";
import { needSandbox, openSandboxWorld, SECRET } from "./testing/sandbox-world.ts";

beforeAll(needSandbox);

const BRANCH = "holdfast/work-1";

async function openWorld() {
  const world = await openSandboxWorld();
  const { home, data, root, environment, sandbox } = world;
  writeFileSync(path.join(home, "names"), "[user]\n\tname = Ann\n\temail = ann@example.com\n");
  // The sandbox does not show this file.
  writeFileSync(path.join(home, ".gitconfig"), `[include]\n\tpath = ${home}/names\n`);
  const repo = path.join(root, "real");
  const worktree = path.join(data, "worktrees", "one");
  const git = (cwd: string, ...args: readonly string[]): string =>
    execFileSync("git", args, { cwd, env: environment, encoding: "utf8", stdio: "pipe" });
  mkdirSync(repo);
  git(repo, "init", "--quiet", "--initial-branch=main");
  writeFileSync(path.join(repo, "file"), "one\n");
  writeFileSync(path.join(repo, ".gitignore"), "*.env\n");
  git(repo, "add", "-A");
  git(repo, "commit", "--quiet", "-m", "first");
  writeFileSync(path.join(repo, "a.env"), "x\n");
  const options: GitOptions = {
    dataFolder: path.join(data, "git"),
    environment,
    enclose: sandbox.encloseProgram,
  };
  return { ...world, repo, worktree, git, options, worktrees: createWorktreeGit(options) };
}

describe("worktrees in a sandbox", () => {
  it("D7: are made, committed to, rebased, merged, pushed and removed", async () => {
    const { repo, worktree, git, options, worktrees, folder } = await openWorld();
    const place = { repository: repo, folder: worktree };
    const made = await worktrees.create({ ...place, branch: BRANCH, base: null, copy: ["*.env"] });
    expect(made).toMatchObject({ branch: BRANCH, copied: ["a.env"] });
    writeFileSync(path.join(worktree, "file"), "mine\n");
    const commit = { folder: worktree, message: "mine", hooks: true };
    expect(await commitAll(commit, options)).toMatchObject({ committed: true, files: 1 });
    writeFileSync(path.join(repo, "other"), "ours\n");
    await commitAll({ folder: repo, message: "ours", hooks: false }, options);
    expect(await folderState({ folder: worktree, other: "main" }, options)).toMatchObject({
      isClean: true,
      ahead: 1,
      behind: 1,
    });
    expect(await rebaseOnto({ folder: worktree, onto: "main" }, options)).toMatchObject({
      replayed: 1,
    });
    const merge = { repository: repo, worktreeFolder: worktree, branch: BRANCH, into: "main" };
    expect(await mergeInto(merge, options)).toMatchObject({ how: "fast_forward" });
    expect([git(repo, "status", "--porcelain"), git(repo, "log", "--format=%an %s")]).toEqual([
      "",
      "Ann mine\nAnn ours\nAnn first\n",
    ]);
    const remote = path.join(folder, "remote.git");
    git(folder, "init", "--quiet", "--bare", remote);
    const push = { folder: worktree, remote: `file://${remote}`, branch: BRANCH };
    expect(await pushBranch(push, options)).toMatchObject({ pushed: true });
    writeFileSync(path.join(worktree, "late"), "late\n");
    const keepAs = "refs/holdfast/session/worktree";
    expect(await worktrees.remove({ ...place, branch: BRANCH, keepAs, force: true })).toMatchObject(
      {
        removed: true,
        branchRemoved: true,
      },
    );
    expect([existsSync(worktree), git(repo, "show", `${keepAs}:late`)]).toEqual([false, "late\n"]);
  });

  it("D7: keep hooks from what is outside, and from the network", async () => {
    const { repo, git, options, home, data } = await openWorld();
    const hook = path.join(repo, ".git", "hooks", "pre-commit");
    mkdirSync(path.dirname(hook), { recursive: true });
    const tries = [
      `cat ${home}/.ssh/id ${data}/holdfast.db`,
      `echo bad > ${home}/made`,
      `echo bad > ${data}/made`,
      "env",
      "cat /proc/net/dev",
      "echo made > made; git add made",
    ];
    writeFileSync(hook, `#!/bin/sh\nexec > .git/seen 2>&1\n${tries.join("\n")}\n`, { mode: 0o755 });
    writeFileSync(path.join(repo, "file"), "two\n");
    const result = await commitAll({ folder: repo, message: "all", hooks: true }, options);
    expect(result).toMatchObject({ committed: true, files: 2 });
    const seen = readFileSync(path.join(repo, ".git", "seen"), "utf8");
    expect(seen).not.toContain(SECRET);
    expect(seen).not.toContain("eth0");
    expect([existsSync(path.join(home, "made")), existsSync(path.join(data, "made"))]).toEqual([
      false,
      false,
    ]);
    expect(git(repo, "show", "--stat", "--format=", "HEAD")).toContain("made");
  });

  it("D7: do not write through links that an agent has put into the repository", async () => {
    const { repo, worktree, folder, worktrees } = await openWorld();
    const outside = path.join(folder, "outside");
    mkdirSync(outside);
    const heads = path.join(repo, ".git", "refs", "heads", "holdfast");
    symlinkSync(outside, heads);
    const place = { repository: repo, folder: worktree };
    const create = () => worktrees.create({ ...place, branch: BRANCH, base: null, copy: [] });
    await expect(create()).rejects.toThrow("cannot be made");
    expect([existsSync(path.join(outside, "work-1")), existsSync(worktree)]).toEqual([
      false,
      false,
    ]);
    rmSync(heads);
    expect(await create()).toMatchObject({ branch: BRANCH });
  });
});
