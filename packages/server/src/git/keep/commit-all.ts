import { readFile, rm, writeFile } from "node:fs/promises";
import { GitFault } from "../git-fault.ts";
import type { Environment } from "../git-variables.ts";
import type { GitOptions, OwnGitFolder } from "../own-git-folder.ts";
import { shownPath, splitPaths } from "../raw-path.ts";
import { compareTrees } from "../snapshot/compare.ts";
import { openWorkFolder } from "../work-folder.ts";
import { commitOf } from "../worktree/read-worktree.ts";
import { treeOf } from "../worktree/worktree-content.ts";
import { identityVariables, type Person } from "./identity.ts";
import { runHook, type HookRequest } from "./run-hook.ts";
import { refuseUnfinished } from "./unfinished.ts";
import { openIndexDraft, type IndexDraft } from "./users-index.ts";

export interface CommitRequest {
  readonly folder: string;
  readonly message: string;
  /** The author, if it is not the user, who is always the committer. */
  readonly author?: Person;
  /** Whether the hooks of the repository run, in the sandbox. */
  readonly hooks: boolean;
}

export type CommitResult =
  | { readonly committed: true; readonly commit: string; readonly files: number }
  | { readonly committed: false; readonly why: "nothing_to_commit" }
  /** A hook refused the commit. */
  | {
      readonly committed: false;
      readonly why: "hook_failed";
      readonly hook: string;
      readonly output: string;
    };

/**
 * Commits everything that is not ignored on the branch that is checked out, as `git add -A` and `git commit` do. The user's index
 * is replaced just before the branch moves. If the process is killed between both, everything is staged.
 */
export async function commitAll(
  request: CommitRequest,
  options: GitOptions,
): Promise<CommitResult> {
  const own = await openWorkFolder(request.folder, options);
  await refuseUnfinished(own);
  const head = await commitOf(own, "HEAD");
  const before = await treeOf(own, head);
  const index = await openIndexDraft(own, head);
  try {
    await stageAll(own, index);
    if ((await writeTree(own, index)) === before)
      return { committed: false, why: "nothing_to_commit" };
    const identity = await identityVariables(own, options, request.author ?? null);
    const checked = await checkWithHooks(own, index, request, options);
    if ("hook" in checked) return { committed: false, why: "hook_failed", ...checked };
    // Hooks may have changed it.
    const tree = await writeTree(own, index);
    if (tree === before) return { committed: false, why: "nothing_to_commit" };
    const changes = await compareTrees(own, before, tree);
    const commit = await publish(own, { index, head, tree, identity, message: checked.message });
    if (request.hooks) await runAfterwards(own, index, options);
    return { committed: true, commit, files: changes.length };
  } finally {
    await index.close();
  }
}

async function stageAll(own: OwnGitFolder, index: IndexDraft): Promise<void> {
  if (own.hasFilters) await refuseFiltered(own, index);
  await own.git(["-c", "advice.addEmbeddedRepo=false", "add", "-A"], { index: index.path });
}

/** Without its filter, such as that of Git LFS, a file would be committed as it is. */
async function refuseFiltered(own: OwnGitFolder, index: IndexDraft): Promise<void> {
  const lists = ["--modified", "--others", "--exclude-standard", "-z"];
  const { stdout } = await own.git(["ls-files", ...lists], { index: index.path });
  const checked = await own.git(["check-attr", "-z", "--stdin", "filter"], {
    index: index.path,
    input: stdout,
  });
  const fields = checked.stdout.toString("latin1").split("\0");
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const value = fields[at + 2] ?? "";
    if (["unspecified", "unset", "set", ""].includes(value)) continue;
    const [file] = splitPaths(Buffer.from(fields[at] ?? "", "latin1"));
    throw new GitFault(
      `The file ${file === undefined ? "" : shownPath(file)} is converted by the filter "${value}", which Holdfast does not run. Commit it yourself.`,
    );
  }
}

async function writeTree(own: OwnGitFolder, index: IndexDraft): Promise<string> {
  const { stdout } = await own.git(["write-tree"], { index: index.path });
  return stdout.toString("latin1").trim();
}

type Checked =
  | { readonly message: Buffer }
  | { readonly hook: HookRequest["name"]; readonly output: string };

/** The message, which hooks may have changed, or the hook that refused. */
async function checkWithHooks(
  own: OwnGitFolder,
  index: IndexDraft,
  { message, hooks }: CommitRequest,
  options: GitOptions,
): Promise<Checked> {
  if (!hooks) return { message: await tidy(own, message) };
  const file = `${index.path}.message`;
  try {
    await writeFile(file, await tidy(own, message), { mode: 0o600 });
    const steps = [
      { name: "pre-commit", args: [] },
      { name: "prepare-commit-msg", args: [file, "message"] },
      { name: "commit-msg", args: [file] },
    ] as const;
    for (const step of steps) {
      const { ok, output } = await runHook(own, { ...step, index: index.path }, options);
      if (!ok) return { hook: step.name, output };
    }
    return { message: await tidy(own, await readFile(file)) };
  } finally {
    await rm(file, { force: true });
  }
}

/** As Git tidies a message that was not edited. */
async function tidy(own: OwnGitFolder, message: string | Buffer): Promise<Buffer> {
  const { stdout } = await own.git(["stripspace"], { input: message });
  if (stdout.length === 0) throw new GitFault("A commit needs a message.");
  return stdout;
}

interface Publication {
  readonly index: IndexDraft;
  readonly head: string | null;
  readonly tree: string;
  readonly message: Buffer;
  readonly identity: Environment;
}

async function publish(
  own: OwnGitFolder,
  { index, head, tree, message, identity }: Publication,
): Promise<string> {
  const parents = head === null ? [] : ["-p", head];
  const made = await own.git(["commit-tree", tree, ...parents], { input: message, env: identity });
  const commit = made.stdout.toString("latin1").trim();
  const [title = ""] = message.toString("utf8").split("\n");
  const log = `commit${head === null ? " (initial)" : ""}: ${title.slice(0, 200)}`;
  await index.install();
  try {
    await own.repositoryGit(
      [
        "-c",
        "core.logAllRefUpdates=true",
        "update-ref",
        "-m",
        log,
        "HEAD",
        commit,
        head ?? "0".repeat(commit.length),
      ],
      { env: identity },
    );
  } catch (error) {
    await index.restore();
    throw new GitFault("The branch has changed meanwhile, so nothing was committed.", {
      cause: error,
    });
  }
  return commit;
}

/** The commit stays, whatever this hook does. */
async function runAfterwards(
  own: OwnGitFolder,
  index: IndexDraft,
  options: GitOptions,
): Promise<void> {
  await runHook(own, { name: "post-commit", args: [], index: index.path }, options).catch(() => {});
}
