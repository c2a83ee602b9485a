import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import { needProgram } from "../../domain/testing/machine.ts";
import type { GitOptions } from "../own-git-folder.ts";

/** A user with a home, a repository with one commit, and a place for worktrees. */
export interface GitWorld {
  readonly folder: string;
  readonly home: string;
  readonly repo: string;
  /** Does not exist yet. */
  readonly worktree: string;
  readonly options: GitOptions;
  /** Runs the user's Git. */
  git(cwd: string, ...args: readonly string[]): string;
  write(file: string, text: string | Uint8Array, mode?: number): void;
  read(file: string): string;
  /** Commits everything in a folder. Returns the commit. */
  commit(cwd: string, message: string): string;
}

/** Paths of `write` and `read` are relative to the folder of the world. */
export function openGitWorld(): GitWorld {
  needProgram("git");
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "holdfast-worktree-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [home, repo] = [path.join(folder, "home"), path.join(folder, "repo")];
  mkdirSync(home);
  mkdirSync(repo);
  const environment = { PATH: process.env["PATH"] ?? "", HOME: home, LC_ALL: "C" };
  const git: GitWorld["git"] = (cwd, ...args) =>
    execFileSync("git", args, {
      cwd,
      env: environment,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      maxBuffer: 64 * 1024 * 1024,
    });
  writeFileSync(
    path.join(home, ".gitconfig"),
    "[user]\n\tname = Ann\n\temail = ann@example.com\n[init]\n\tdefaultBranch = main\n",
  );
  const write: GitWorld["write"] = (file, text, mode) => {
    const target = path.join(folder, file);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, text);
    if (mode !== undefined) chmodSync(target, mode);
  };
  const commit: GitWorld["commit"] = (cwd, message) => {
    git(cwd, "add", "-A");
    git(cwd, "commit", "--quiet", "--allow-empty", "-m", message);
    return git(cwd, "rev-parse", "HEAD").trim();
  };
  git(repo, "init", "--quiet");
  write("repo/file", "one\n");
  write("repo/src/deep/code", "code\n");
  commit(repo, "first");
  return {
    folder,
    home,
    repo,
    worktree: path.join(folder, "worktrees", "one"),
    options: { dataFolder: path.join(folder, "data"), environment },
    git,
    write,
    read: (file) => readFileSync(path.join(folder, file), "utf8"),
    commit,
  };
}
