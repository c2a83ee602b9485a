import { readFileSync } from "node:fs";
import path from "node:path";
import { userGit } from "./new-repository.ts";
import { rawFiles } from "./raw-files.ts";

/** What a repository is for its user, without the refs that Holdfast adds. */
export interface UserState {
  readonly index: string;
  readonly head: string;
  readonly config: string;
  readonly refs: readonly string[];
  readonly status: string;
  readonly stash: string;
  readonly files: Readonly<Record<string, string>>;
}

export function userStateOf(repo: string): UserState {
  const read = (name: string): string => readFileSync(path.join(repo, ".git", name), "base64");
  return {
    // Before `git status`, which may write it.
    index: read("index"),
    head: read("HEAD"),
    config: read("config"),
    refs: refsOf(repo).filter((ref) => !/ refs\/(?:heads\/)?holdfast\//u.test(ref)),
    status: userGit(repo, "--no-optional-locks", "status", "--porcelain=v2", "--branch"),
    stash: userGit(repo, "stash", "list"),
    files: Object.fromEntries(rawFiles(repo).all()),
  };
}

/** Each as its object and its name. */
export function refsOf(repo: string, ...under: readonly string[]): readonly string[] {
  return userGit(repo, "for-each-ref", "--format=%(objectname) %(refname)", ...under)
    .split("\n")
    .filter((line) => line !== "");
}
