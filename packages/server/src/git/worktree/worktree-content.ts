import { randomUUID } from "node:crypto";
import { copyFile, lstat, rm } from "node:fs/promises";
import path from "node:path";
import { GitFault } from "../git-fault.ts";
import type { OwnGitFolder } from "../own-git-folder.ts";
import { pathBytes, splitPaths, type RawPath } from "../raw-path.ts";
import type { ChangedFile } from "../snapshot/changed-file.ts";
import { compareTrees } from "../snapshot/compare.ts";
import type { SnapshotLimits } from "../snapshot/choose-files.ts";
import { takeSnapshot } from "../snapshot/take-snapshot.ts";
import { commitOf } from "./read-worktree.ts";

/** All work in a folder that is not committed. */
export interface WorktreeContent {
  readonly head: string | null;
  /** The tree of the working files that are not ignored. */
  readonly tree: string;
  /** The tree of the index; null if it has none, such as during a merge with conflicts. */
  readonly staged: string | null;
  /** The commit that is being merged. */
  readonly merging: string | null;
  /** Files that differ from the commit. */
  readonly changes: readonly ChangedFile[];
  /** Other repositories in the folder, including submodules. A snapshot does not contain their files. */
  readonly repositories: readonly RawPath[];
  /** The number of files that are too large to be kept. */
  readonly tooLarge: number;
  /** Whether there is nothing that is not committed. */
  readonly isClean: boolean;
}

/** Nothing should be left out when work is kept. */
const LIMITS: SnapshotLimits = {
  fileBytes: 4 * 1024 ** 3,
  totalBytes: 16 * 1024 ** 3,
  files: 1_000_000,
};

export async function readContent(own: OwnGitFolder): Promise<WorktreeContent> {
  const { tree, head, tooLarge } = await takeSnapshot(own, { tree: null }, { limits: LIMITS });
  const headTree = await treeOf(own, head);
  const changes = await compareTrees(own, headTree, tree);
  const repositories = await findRepositories(own, tree);
  const index = await readIndexOf(own, own.folders.own);
  const merging = await commitOf(own, "MERGE_HEAD");
  return {
    head,
    tree,
    staged: index.tree,
    merging,
    changes,
    repositories,
    tooLarge,
    isClean:
      tree === headTree &&
      (index.tree ?? (index.exists ? null : headTree)) === headTree &&
      merging === null &&
      tooLarge === 0 &&
      repositories.length === 0,
  };
}

/** The tree of a commit; without a commit, the tree without files. */
export async function treeOf(own: OwnGitFolder, commit: string | null): Promise<string> {
  const { stdout } =
    commit === null
      ? await own.git(["mktree"])
      : await own.git(["rev-parse", "--verify", `${commit}^{tree}`]);
  return stdout.toString("latin1").trim();
}

/** The tree of the user's index in a Git folder. Works on a copy, so the index stays as it is. */
export async function readIndexOf(
  own: OwnGitFolder,
  gitFolder: string,
): Promise<{ readonly exists: boolean; readonly tree: string | null }> {
  const source = path.join(gitFolder, "index");
  const stats = await lstat(source).catch(() => null);
  if (stats?.isFile() !== true) return { exists: false, tree: null };
  const draft = path.join(own.path, `draft-${randomUUID()}`);
  try {
    await copyFile(source, draft);
    const { code, stdout } = await own.repositoryGit(["write-tree", "--missing-ok"], {
      env: { GIT_DIR: gitFolder, GIT_INDEX_FILE: draft },
      codes: [0, 128],
    });
    return { exists: true, tree: code === 0 ? stdout.toString("latin1").trim() : null };
  } finally {
    await rm(draft, { force: true });
    await rm(`${draft}.lock`, { force: true });
  }
}

async function findRepositories(own: OwnGitFolder, tree: string): Promise<readonly RawPath[]> {
  const listed = await own.git(["ls-tree", "-r", "-z", tree]);
  // After a snapshot only repositories without a commit are left.
  const others = await own.git(["ls-files", "--others", "--exclude-standard", "-z"]);
  if (listed.ended !== null || others.ended !== null)
    throw new GitFault("The files could not be listed: there are too many.");
  const found = splitPaths(others.stdout).filter((each) => each.endsWith("/"));
  for (const line of splitPaths(listed.stdout)) {
    if (!line.startsWith("160000 ")) continue;
    const [file] = splitPaths(Buffer.from(line.slice(line.indexOf("\t") + 1), "latin1"));
    if (file !== undefined && (await hasGit(own.folders.folder, file))) found.push(file);
  }
  return found;
}

/** A submodule that was never fetched is an empty folder. */
async function hasGit(folder: string, file: RawPath): Promise<boolean> {
  const git = Buffer.concat([Buffer.from(`${folder}/`), pathBytes(file), Buffer.from("/.git")]);
  return (await lstat(git).catch(() => null)) !== null;
}
