import { lstat, rename, rm } from "node:fs/promises";
import path from "node:path";
import { newDraft, removeDraft } from "../drafts.ts";
import { GitFault } from "../git-fault.ts";
import type { OwnGitFolder } from "../own-git-folder.ts";
import { joinPaths, type RawPath } from "../raw-path.ts";
import { linkIndex } from "./copy-index.ts";
import { chooseFiles, type SnapshotLimits } from "./choose-files.ts";
import { findCandidates } from "./find-candidates.ts";
import { findIgnored } from "./find-ignored.ts";
import { seedIndex } from "./seed-index.ts";

/** The state of the working files at one time: all but the ignored ones. */
export interface Snapshot {
  /** The object ID of a tree. */
  readonly tree: string;
  /** The commit that was checked out; null before the first one. */
  readonly head: string | null;
  /** The number of files that are too large to be kept. They are in the snapshot as they were before, or not at all. */
  readonly tooLarge: number;
}

export const SNAPSHOT_LIMITS: SnapshotLimits = {
  fileBytes: 64 * 1024 * 1024,
  totalBytes: 1024 * 1024 * 1024,
  files: 200_000,
};

/** The tree of the index, if nothing has changed since it was written. */
export interface KnownTree {
  tree: string | null;
}

export interface SnapshotOptions {
  readonly limits?: SnapshotLimits;
  /** Files that belong to the snapshot if they exist, even if they are ignored. */
  readonly more?: readonly RawPath[];
  /** Leaves out all other files that are not in the index yet. */
  readonly onlyKnown?: boolean;
}

/**
 * Takes a snapshot of the working files with an index of our own, which remembers the times and sizes of files, so that only
 * changed ones are read. Changes nothing else. Throws a `GitFault`.
 */
export async function takeSnapshot(
  own: OwnGitFolder,
  known: KnownTree,
  options: SnapshotOptions = {},
): Promise<Snapshot> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await trySnapshot(own, known, options);
    } catch (error) {
      known.tree = null;
      // A file may change while it is read, and Git may have removed objects of the index.
      if (!(error instanceof GitFault) || error.isLasting || tries === TRIES) throw error;
      if (tries === TRIES - 1) await rm(own.index, { force: true });
    }
  }
}

const TRIES = 3;

async function trySnapshot(
  own: OwnGitFolder,
  known: KnownTree,
  { limits = SNAPSHOT_LIMITS, more = [], onlyKnown = false }: SnapshotOptions,
): Promise<Snapshot> {
  const found = readHead(own, known.tree);
  // It is awaited later.
  found.catch(() => {});
  if ((await lstat(own.index).catch(() => null)) === null) {
    known.tree = null;
    await seedIndex(own, (await found).head);
  }
  const candidates = await findCandidates(own, { onlyKnown });
  const files = await chooseFiles(own.folders.folder, candidates, more, limits);
  const { head, hasTree } = await found;
  const { tooLarge } = files;
  const isSame = files.paths.length + files.gone.length + files.nested.length === 0;
  if (known.tree !== null && hasTree && isSame) return { tree: known.tree, head, tooLarge };
  const draft = path.join(own.path, newDraft());
  try {
    await linkIndex(own.index, draft);
    await removeFromIndex(own, draft, files.gone);
    await updateIndex(own, draft, files.paths);
    const { folder: root } = own.folders;
    const ignored = await findIgnored(own, files.uncovered, { folder: root });
    const uncovered = files.uncovered.filter((each) => !ignored.has(each));
    for (const folder of [...files.nested, ...uncovered].slice(0, MAX_NESTED))
      await updateIndex(own, draft, [folder]).catch(() => {});
    // It fails if objects are missing.
    const { stdout } = await own.git(["write-tree"], { index: draft });
    const tree = stdout.toString("latin1").trim();
    await rename(draft, own.index);
    known.tree = tree;
    return { tree, head, tooLarge };
  } finally {
    await removeDraft(draft);
  }
}

/** Repositories inside the repository that are no submodules. */
const MAX_NESTED = 50;

/** The commit that is checked out, and whether the tree still exists: then Git keeps all that it contains. */
async function readHead(
  own: OwnGitFolder,
  tree: string | null,
): Promise<{ readonly head: string | null; readonly hasTree: boolean }> {
  const { stdout } = await own.repositoryGit(["cat-file", "--batch-check=%(objectname)"], {
    input: `HEAD^{commit}\n${tree ?? ""}\n`,
  });
  const [head = "", kept = ""] = stdout.toString("latin1").split("\n");
  return { head: isId(head) ? head : null, hasTree: kept === tree };
}

function isId(text: string): boolean {
  return /^[\da-f]{40,64}$/u.test(text);
}

async function updateIndex(
  own: OwnGitFolder,
  index: string,
  paths: readonly RawPath[],
): Promise<void> {
  if (paths.length === 0) return;
  await own.git(["update-index", "--add", "--remove", "--replace", "-z", "--stdin"], {
    index,
    splitsIndex: true,
    input: joinPaths(paths),
  });
}

async function removeFromIndex(
  own: OwnGitFolder,
  index: string,
  paths: readonly RawPath[],
): Promise<void> {
  if (paths.length === 0) return;
  await own.git(["update-index", "--force-remove", "-z", "--stdin"], {
    index,
    splitsIndex: true,
    input: joinPaths(paths),
  });
}
