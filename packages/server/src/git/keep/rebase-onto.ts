import { GitFault } from "../git-fault.ts";
import type { Environment } from "../git-variables.ts";
import type { GitOptions, OwnGitFolder } from "../own-git-folder.ts";
import type { RawPath } from "../raw-path.ts";
import { openWorkFolder } from "../work-folder.ts";
import { branchOf, commitOf } from "../worktree/read-worktree.ts";
import { treeOf } from "../worktree/worktree-content.ts";
import { identityVariables } from "./identity.ts";
import { isAncestor, replayTree } from "./merge-trees.ts";
import { moveBranch, type MoveResult } from "./move-branch.ts";

export type RebaseResult =
  | {
      readonly rebased: true;
      readonly commit: string;
      /** The number of commits that were made anew. */
      readonly replayed: number;
    }
  | {
      readonly rebased: false;
      readonly why: "conflicts";
      /** The commit that cannot be replayed. */
      readonly commit: string;
      readonly files: readonly RawPath[];
    }
  | ({ readonly rebased: false } & Omit<Extract<MoveResult, { moved: false }>, "moved">);

const MAX_COMMITS = 1_000;

/**
 * Replays the commits of the branch that is checked out in the folder, without merges, after another commit. Authors, their
 * dates and messages stay; signatures do not. Either everything is done, or nothing.
 */
export async function rebaseOnto(
  { folder, onto }: { readonly folder: string; readonly onto: string },
  options: GitOptions,
): Promise<RebaseResult> {
  const own = await openWorkFolder(folder, options);
  const branch = await branchOf(own);
  if (branch === null) throw new GitFault(`No branch is checked out in ${folder}.`);
  const [head, target] = [await commitOf(own, "HEAD"), await commitOf(own, onto)];
  if (head === null) throw new GitFault(`The branch "${branch}" has no commit yet.`);
  if (target === null) throw new GitFault(`The repository has no commit, branch or tag "${onto}".`);
  if (await isAncestor(own, target, head)) return { rebased: true, commit: head, replayed: 0 };
  const identity = await identityVariables(own, options);
  let commit = target;
  let replayed = 0;
  for (const each of await listCommits(own, target, head)) {
    const result = await replay(own, each, commit, identity);
    if (typeof result !== "string")
      return { rebased: false, why: "conflicts", commit: each, files: result.conflicts };
    if (result !== commit) replayed += 1;
    commit = result;
  }
  const moved = await moveBranch(
    own,
    {
      ref: `refs/heads/${branch}`,
      from: head,
      to: commit,
      message: `rebase (Holdfast): onto ${target}`,
      identity,
    },
    options,
  );
  if (moved.moved) return { rebased: true, commit, replayed };
  const { why, folder: where, files } = moved;
  return { rebased: false, why, folder: where, files };
}

/** The commits to be replayed, without those whose change the other side has already. */
async function listCommits(
  own: OwnGitFolder,
  target: string,
  head: string,
): Promise<readonly string[]> {
  const options = ["--reverse", "--topo-order", "--no-merges", "--right-only", "--cherry-pick"];
  const { stdout } = await own.git(["rev-list", ...options, `${target}...${head}`, "--"]);
  const commits = stdout
    .toString("latin1")
    .split("\n")
    .filter((line) => line !== "");
  if (commits.length > MAX_COMMITS)
    throw new GitFault(
      `There are ${commits.length} commits to be replayed; the maximum is ${MAX_COMMITS}.`,
    );
  return commits;
}

/** Returns the new commit, or `onto` if nothing is left of the change. */
async function replay(
  own: OwnGitFolder,
  commit: string,
  onto: string,
  identity: Environment,
): Promise<string | { readonly conflicts: readonly RawPath[] }> {
  const { stdout } = await own.git(["cat-file", "commit", commit]);
  const { parent, tree, author, encoding, message } = parseCommit(stdout.toString("latin1"));
  const base = await treeOf(own, parent);
  const ours = await treeOf(own, onto);
  const merged = await replayTree(own, { base, ours, theirs: tree });
  if (!merged.merged) return merged;
  const wasEmpty = tree === base;
  if (merged.tree === ours && !wasEmpty) return onto;
  const committer = await own.git(["var", "GIT_COMMITTER_IDENT"], { env: identity });
  const lines = [
    `tree ${merged.tree}`,
    `parent ${onto}`,
    `author ${author}`,
    `committer ${committer.stdout.toString("latin1").trim()}`,
    ...(encoding === null ? [] : [`encoding ${encoding}`]),
    "",
    message,
  ];
  const made = await own.git(["hash-object", "-t", "commit", "-w", "--stdin"], {
    input: Buffer.from(lines.join("\n"), "latin1"),
  });
  return made.stdout.toString("latin1").trim();
}

interface ParsedCommit {
  readonly tree: string;
  /** The first one. */
  readonly parent: string | null;
  readonly author: string;
  readonly encoding: string | null;
  readonly message: string;
}

/** `text`: a commit as Git keeps it, one character for each byte. */
function parseCommit(text: string): ParsedCommit {
  const end = text.indexOf("\n\n");
  const head = text.slice(0, end);
  const field = (name: string): string | null =>
    new RegExp(`^${name} (.*)$`, "mu").exec(head)?.[1] ?? null;
  const [tree, author] = [field("tree"), field("author")];
  if (end < 0 || tree === null || author === null) throw new GitFault("A commit cannot be read.");
  return {
    tree,
    parent: field("parent"),
    author,
    encoding: field("encoding"),
    message: text.slice(end + 2),
  };
}
