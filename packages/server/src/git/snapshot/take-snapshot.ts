import { randomUUID } from "node:crypto";
import { copyFile, lstat, readdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { GitFault } from "../git-fault.ts";
import type { OwnGitFolder } from "../own-git-folder.ts";
import { joinPaths, pathBytes, splitPaths, type RawPath } from "../raw-path.ts";

/** The state of the working files at one time: all but the ignored ones. */
export interface Snapshot {
  /** The object ID of a tree. */
  readonly tree: string;
  /** The commit that was checked out; null before the first one. */
  readonly head: string | null;
  /** The number of files that are too large to be kept. They are in the snapshot as they were before, or not at all. */
  readonly tooLarge: number;
}

export interface SnapshotLimits {
  /** A larger file is left out. */
  readonly fileBytes: number;
  /** All files that must be read for one snapshot. */
  readonly totalBytes: number;
  readonly files: number;
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

/**
 * Takes a snapshot of the working files with an index of our own, which remembers the times and sizes of files, so that only
 * changed ones are read. Changes nothing else. Throws a `GitFault`.
 */
export async function takeSnapshot(
  own: OwnGitFolder,
  known: KnownTree,
  limits: SnapshotLimits = SNAPSHOT_LIMITS,
): Promise<Snapshot> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await trySnapshot(own, known, limits);
    } catch (error) {
      known.tree = null;
      // A file may change while it is read.
      if (!(error instanceof GitFault) || tries === TRIES) throw error;
      if (tries === TRIES - 1) await rm(own.index, { force: true });
    }
  }
}

const TRIES = 3;

async function trySnapshot(
  own: OwnGitFolder,
  known: KnownTree,
  limits: SnapshotLimits,
): Promise<Snapshot> {
  const head = headOf(own);
  // It is awaited later.
  head.catch(() => {});
  if ((await lstat(own.index).catch(() => null)) === null) {
    known.tree = null;
    await seedIndex(own, await head);
  }
  const { changed, added, nested } = await findCandidates(own);
  const small = await chooseSmall(own.folders.folder, [...changed, ...added], limits);
  if (known.tree !== null && small.paths.length === 0 && nested.length === 0)
    return { tree: known.tree, head: await head, tooLarge: small.tooLarge };
  const draft = path.join(own.path, `${DRAFT}${randomUUID()}`);
  try {
    await copyFile(own.index, draft);
    await updateIndex(own, draft, small.paths);
    for (const folder of nested.slice(0, MAX_NESTED))
      await updateIndex(own, draft, [folder]).catch(() => {});
    const { stdout } = await own.git(["write-tree", "--missing-ok"], { index: draft });
    const tree = stdout.toString("latin1").trim();
    await rename(draft, own.index);
    known.tree = tree;
    return { tree, head: await head, tooLarge: small.tooLarge };
  } finally {
    await removeDrafts(own.path, draft);
  }
}

const DRAFT = "draft-";

/** Repositories inside the repository that are no submodules. */
const MAX_NESTED = 50;

async function headOf(own: OwnGitFolder): Promise<string | null> {
  const { code, stdout } = await own.repositoryGit(
    ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"],
    { codes: [0, 1, 128] },
  );
  return code === 0 ? stdout.toString("latin1").trim() : null;
}

interface Candidates {
  /** Files of the index that seem to have changed, or are gone. */
  readonly changed: readonly RawPath[];
  readonly added: readonly RawPath[];
  /** Other repositories in the folder. */
  readonly nested: readonly RawPath[];
}

/** One search for changed files, and one for new ones, at the same time. */
const FIND = `
git ls-files --others --exclude-standard -z > "$1" &
git diff-files --name-only -z --ignore-submodules=dirty || exit
wait $! || exit
printf '\\0'
cat "$1"
`;

async function findCandidates(own: OwnGitFolder): Promise<Candidates> {
  const list = path.join(own.path, `${DRAFT}${randomUUID()}`);
  try {
    const { stdout, ended } = await own.shell(FIND, [list]);
    if (ended !== null) throw new GitFault("The files could not be listed: there are too many.");
    const middle = endOfFirst(stdout);
    const others = splitPaths(stdout.subarray(middle));
    return {
      changed: splitPaths(stdout.subarray(0, middle)),
      added: others.filter((each) => !each.endsWith("/")),
      nested: others.flatMap((each) => (each.endsWith("/") ? withoutSlash(each) : [])),
    };
  } finally {
    await rm(list, { force: true });
  }
}

/** The lists are separated by an empty name. */
function endOfFirst(bytes: Buffer): number {
  if (bytes[0] === 0) return 0;
  return bytes.indexOf("\0\0", 0, "latin1") + 1;
}

function withoutSlash(folder: RawPath): readonly RawPath[] {
  return splitPaths(Buffer.from(folder.slice(0, -1), "latin1"));
}

async function chooseSmall(
  folder: string,
  candidates: readonly RawPath[],
  limits: SnapshotLimits,
): Promise<{ readonly paths: readonly RawPath[]; readonly tooLarge: number }> {
  if (candidates.length > limits.files)
    throw new GitFault(
      `There are ${candidates.length.toLocaleString("en")} new or changed files, more than a snapshot can hold.`,
    );
  const paths: RawPath[] = [];
  let tooLarge = 0;
  let total = 0;
  const base = Buffer.from(`${folder}/`);
  for (const candidate of candidates) {
    const file = Buffer.concat([base, pathBytes(candidate)]);
    const stats = await lstat(file).catch(() => null);
    const size = stats?.isFile() === true ? stats.size : 0;
    if (size > limits.fileBytes) tooLarge += 1;
    else {
      total += size;
      paths.push(candidate);
    }
  }
  if (total > limits.totalBytes)
    throw new GitFault("The new and changed files are larger than a snapshot can hold.");
  return { paths, tooLarge };
}

async function updateIndex(
  own: OwnGitFolder,
  index: string,
  paths: readonly RawPath[],
): Promise<void> {
  if (paths.length === 0) return;
  await own.git(["update-index", "--add", "--remove", "--replace", "-z", "--stdin"], {
    index,
    input: joinPaths(paths),
  });
}

/**
 * The first index is a copy of the user's, which knows all times and sizes, unless it has marks that would hide changes.
 * Otherwise all files are read once.
 */
async function seedIndex(own: OwnGitFolder, head: string | null): Promise<void> {
  const draft = path.join(own.path, `${DRAFT}${randomUUID()}`);
  try {
    if (!(await copyUsersIndex(own, draft))) {
      await rm(draft, { force: true });
      await own.git(head === null ? ["read-tree", "--empty"] : ["read-tree", head], {
        index: draft,
      });
    }
    await rename(draft, own.index);
  } finally {
    await removeDrafts(own.path, draft);
  }
}

async function copyUsersIndex(own: OwnGitFolder, draft: string): Promise<boolean> {
  if (own.hasFilters) return false;
  const source = path.join(own.folders.own, "index");
  const stats = await lstat(source).catch(() => null);
  if (stats?.isFile() !== true) return false;
  try {
    await copyFile(source, draft);
    // `H` is a plain entry. Others are unmerged, assumed to be unchanged, or left out of the working files.
    const { stdout, ended } = await own.git(["ls-files", "-v", "-z"], { index: draft });
    if (ended !== null) return false;
    return splitPaths(stdout).every((line) => line.startsWith("H "));
  } catch (error) {
    if (error instanceof GitFault) return false;
    throw error;
  }
}

/** Also removes what Git left beside it when it was ended. */
async function removeDrafts(folder: string, draft: string): Promise<void> {
  await rm(draft, { force: true });
  await rm(`${draft}.lock`, { force: true });
  const names = await readdir(folder).catch(() => []);
  const old = Date.now() - OLD_MS;
  for (const name of names.filter((each) => each.startsWith(DRAFT))) {
    const file = path.join(folder, name);
    const stats = await lstat(file).catch(() => null);
    if (stats !== null && stats.mtimeMs < old) await rm(file, { force: true });
  }
}

const OLD_MS = 60 * 60_000;
