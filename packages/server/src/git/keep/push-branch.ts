import path from "node:path";
import { GitFault } from "../git-fault.ts";
import type { Environment } from "../git-variables.ts";
import type { GitOptions, OwnGitFolder } from "../own-git-folder.ts";
import { runProgram } from "../program/run-program.ts";
import { openWorkFolder } from "../work-folder.ts";
import { commitOf } from "../worktree/read-worktree.ts";

export interface PushRequest {
  readonly folder: string;
  /** A URL of the server's settings. Never one that the repository names. */
  readonly remote: string;
  readonly branch: string;
  readonly signal?: AbortSignal;
}

export type PushResult =
  | {
      readonly pushed: true;
      readonly commit: string;
      /** Whether the remote repository had it already. */
      readonly isUpToDate: boolean;
    }
  | {
      readonly pushed: false;
      /**
       * `behind`: the remote branch has commits that this one lacks. `refused`: the remote repository does not want it. `failed`:
       * it could not be reached, or the user has no permission.
       */
      readonly why: "behind" | "refused" | "failed";
      readonly message: string;
    };

const TIMEOUT_MS = 10 * 60_000;

/**
 * Pushes a branch to the branch of the same name. Git reads the settings of the user, for credentials, but none of the
 * repository: it runs on our own Git folder. It is not in the sandbox, because it needs the network and the user's keys.
 */
export async function pushBranch(request: PushRequest, options: GitOptions): Promise<PushResult> {
  const { folder, remote, branch, signal } = request;
  refuseUnclear(remote);
  const own = await openWorkFolder(folder, options);
  const commit = await commitOf(own, `refs/heads/${branch}`);
  if (commit === null) throw new GitFault(`The repository has no branch "${branch}".`);
  const { code, stdout, stderr, ended } = await runProgram(
    {
      command: [
        "git",
        "push",
        "--porcelain",
        "--no-verify",
        "--no-recurse-submodules",
        "--no-follow-tags",
        "--no-signed",
        "--",
        remote,
        `${commit}:refs/heads/${branch}`,
      ],
      cwd: own.path,
      env: environmentOf(own, options),
      writes: [],
    },
    { timeoutMs: TIMEOUT_MS, ...(signal !== undefined && { signal }) },
  );
  if (ended !== null) return { pushed: false, why: "failed", message: "The push took too long." };
  const line = stdout
    .toString("utf8")
    .split("\n")
    .find((each) => /^[ +*=!-]\t/u.test(each));
  if (code === 0) return { pushed: true, commit, isUpToDate: line?.startsWith("=") === true };
  const reason = line?.startsWith("!") === true ? (line.split("\t")[2] ?? "") : "";
  if (/non-fast-forward|fetch first/u.test(reason))
    return {
      pushed: false,
      why: "behind",
      message: `The branch "${branch}" of the remote repository has commits that are not here.`,
    };
  const detail = withoutPasswords(stderr.trim());
  return reason === ""
    ? { pushed: false, why: "failed", message: detail }
    : { pushed: false, why: "refused", message: `${reason}\n${detail}`.trim() };
}

/** A name or a relative path would lead to what the repository, or its folder, contains. */
function refuseUnclear(remote: string): void {
  const isUrl = /^(?:https?|ssh|git|file):\/\/[^-]/u.test(remote);
  const isHost = /^(?:[\w.][\w.-]*@)?[\w.][\w.-]*:(?!:|\/\/)[^-]/u.test(remote);
  if (isUrl || isHost || path.isAbsolute(remote)) return;
  throw new GitFault(
    "The remote repository must be a URL, such as https://example.com/project.git.",
  );
}

/** The user's own programs for credentials. */
const KEPT = new Set(["GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "GIT_ASKPASS"]);

function environmentOf(own: OwnGitFolder, { environment }: GitOptions): Environment {
  const users = Object.entries(environment).flatMap(([name, value]) =>
    value === undefined || (name.startsWith("GIT_") && !KEPT.has(name)) ? [] : [[name, value]],
  );
  const { common } = own.folders;
  return {
    ...Object.fromEntries(users),
    LC_ALL: "C",
    GIT_DIR: own.path,
    GIT_OBJECT_DIRECTORY: path.join(common, "objects"),
    GIT_SHALLOW_FILE: path.join(common, "shallow"),
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_NO_LAZY_FETCH: "1",
    // Nobody could answer.
    GIT_TERMINAL_PROMPT: "0",
    SSH_ASKPASS_REQUIRE: "never",
  };
}

function withoutPasswords(text: string): string {
  return text.replaceAll(/\/\/[^\s/@]+@/gu, "//");
}
