import { lstat } from "node:fs/promises";
import { GitFault } from "../git-fault.ts";
import { splitPaths, type RawPath } from "../raw-path.ts";
import type { Candidates } from "./find-candidates.ts";

export interface SnapshotLimits {
  /** A larger file is left out. */
  readonly fileBytes: number;
  /** All files that must be read for one snapshot. */
  readonly totalBytes: number;
  readonly files: number;
}

/** What a snapshot does to the index. */
export interface ChosenFiles {
  /** Removed first, whatever is there now: Git would not look there, or not take it. */
  readonly gone: readonly RawPath[];
  /** Taken as they are, or removed if they do not exist. */
  readonly paths: readonly RawPath[];
  /** Repositories in the folder, which Git may refuse. */
  readonly nested: readonly RawPath[];
  /** More of them, in the place of files that are gone. Rules may ignore them. */
  readonly uncovered: readonly RawPath[];
  readonly tooLarge: number;
}

/** Throws a `GitFault` if there is more than the limits allow. */
export async function chooseFiles(
  folder: string,
  candidates: Candidates,
  more: readonly RawPath[],
  limits: SnapshotLimits,
): Promise<ChosenFiles> {
  const { changed, added, replaced } = candidates;
  const count = changed.length + candidates.gone.length + added.length;
  if (count > limits.files)
    throw new GitFault(
      `There are ${count.toLocaleString("en")} new or changed files, more than a snapshot can hold.`,
      { isLasting: true },
    );
  const statOf = (file: string): ReturnType<typeof orNull> =>
    orNull(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(file, "latin1")]));
  const isBehind = linkFinder(statOf);
  const gone = new Set<RawPath>();
  // What is removed first makes room for others.
  const wanted = new Set<RawPath>();
  const uncovered = new Set<RawPath>();
  for (const file of candidates.gone) {
    ((await isBehind(file)) ? gone : wanted).add(file);
    // Git does not list a repository in a folder of which the index has files.
    for (const parent of parentsOf(file))
      if (!uncovered.has(parent) && (await statOf(`${parent}/.git`)) !== null)
        uncovered.add(parent);
  }
  for (const file of [...changed, ...added]) wanted.add(file);
  for (const file of more) {
    const stats = (await isBehind(file)) ? null : await statOf(file);
    if (stats?.isFile() === true || stats?.isSymbolicLink() === true) wanted.add(file);
  }
  const paths: RawPath[] = [];
  let [tooLarge, total] = [0, 0];
  for (const file of wanted) {
    const stats = await statOf(file);
    const size = stats?.isFile() === true ? stats.size : 0;
    // Git does not take pipes, sockets and devices.
    if (stats !== null && !stats.isFile() && !stats.isSymbolicLink() && !stats.isDirectory())
      gone.add(file);
    else if (size > limits.fileBytes) tooLarge += 1;
    else {
      total += size;
      paths.push(file);
    }
  }
  if (total > limits.totalBytes)
    throw new GitFault("The new and changed files are larger than a snapshot can hold.", {
      isLasting: true,
    });
  for (const file of replaced) gone.add(file);
  const nested = [...replaced, ...candidates.nested];
  return { gone: [...gone], paths, nested, uncovered: [...uncovered], tooLarge };
}

function parentsOf(file: RawPath): readonly RawPath[] {
  const parts = file.split("/").slice(0, -1);
  return splitPaths(
    Buffer.from(parts.map((_, at) => parts.slice(0, at + 1).join("/")).join("\0"), "latin1"),
  );
}

/** Tells whether a link, or a file, is in the place of one of the folders of a file. */
function linkFinder(
  statOf: (file: string) => ReturnType<typeof orNull>,
): (file: string) => Promise<boolean> {
  const folders = new Map<string, boolean>();
  const isBehind = async (file: string): Promise<boolean> => {
    const end = file.lastIndexOf("/");
    if (end < 0) return false;
    const parent = file.slice(0, end);
    const known = folders.get(parent);
    if (known !== undefined) return known;
    const stats = await statOf(parent);
    const found = (stats !== null && !stats.isDirectory()) || (await isBehind(parent));
    folders.set(parent, found);
    return found;
  };
  return isBehind;
}

async function orNull(file: Buffer) {
  return lstat(file).catch(() => null);
}
