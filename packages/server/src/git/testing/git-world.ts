import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { needProgram } from "../../domain/testing/machine.ts";
import { splitPaths, type RawPath } from "../raw-path.ts";

/** A temporary folder with a repository, a home without settings, and plain Git beside the engine. */
export interface GitWorld {
  readonly root: string;
  readonly repo: string;
  /** For what the engine keeps. */
  readonly data: string;
  readonly env: Readonly<Record<string, string>>;
  /** Runs plain Git. Throws unless it exits with 0. */
  git(args: readonly string[], options?: PlainGitOptions): Buffer;
  /** The same, trimmed. */
  line(args: readonly string[], options?: PlainGitOptions): string;
  /** Its exit code. */
  tryGit(args: readonly string[], options?: PlainGitOptions): number | null;
  remove(): void;
}

export interface PlainGitOptions {
  readonly cwd?: string;
  readonly index?: string;
  readonly input?: string | Uint8Array;
}

export function openGitWorld(): GitWorld {
  needProgram("git");
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), "holdfast-git-")));
  const [repo, data, home] = [
    path.join(root, "repo"),
    path.join(root, "data"),
    path.join(root, "home"),
  ];
  for (const folder of [repo, data, home]) mkdirSync(folder);
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    LC_ALL: "C",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_AUTHOR_NAME: "x",
    GIT_AUTHOR_EMAIL: "x@y",
    GIT_COMMITTER_NAME: "x",
    GIT_COMMITTER_EMAIL: "x@y",
  };
  const run = (args: readonly string[], { cwd = repo, index, input = "" }: PlainGitOptions) =>
    spawnSync("git", args, {
      cwd,
      input,
      env: { ...env, ...(index !== undefined && { GIT_INDEX_FILE: index }) },
      maxBuffer: 2 ** 28,
    });
  const git: GitWorld["git"] = (args, options = {}) => {
    const { status, stdout, stderr } = run(args, options);
    if (status !== 0) throw new Error(`git ${args.join(" ")}: ${stderr.toString("latin1")}`);
    return stdout;
  };
  git(["init", "--quiet", "--initial-branch=main"]);
  return {
    root,
    repo,
    data,
    env,
    git,
    line: (args, options) => git(args, options).toString("latin1").trim(),
    tryGit: (args, options = {}) => run(args, options).status,
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** A raw path of a name in UTF-8. */
export function rawName(name: string): RawPath {
  const [raw] = splitPaths(Buffer.from(name));
  if (raw === undefined) throw new Error("unreachable: an empty name");
  return raw;
}
