import { GitFault } from "../git-fault.ts";
import type { OwnGitFolder } from "../own-git-folder.ts";
import { shownPath, type RawPath } from "../raw-path.ts";
import { parseChanges, type ChangedFile } from "./changed-file.ts";

/** Options that keep Git from starting programs. */
const PLAIN = ["--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=none"] as const;

/** The files that differ between two trees. `renames`: finds renamed files. */
export async function compareTrees(
  own: OwnGitFolder,
  before: string,
  after: string,
  { renames = true }: { readonly renames?: boolean } = {},
): Promise<readonly ChangedFile[]> {
  if (before === after) return [];
  const found = renames ? "--find-renames" : "--no-renames";
  const args = ["diff-tree", "-r", "-z", "--raw", "--numstat", "--no-abbrev", found, ...PLAIN];
  const { stdout, ended } = await own.git([...args, before, after]);
  if (ended !== null) throw new GitFault("The changes are too many to be listed.");
  return parseChanges(stdout);
}

export interface FileDiff {
  /** A unified diff, as Git writes it. */
  readonly patch: string;
  /** Whether the rest is left out. */
  readonly isCut: boolean;
}

/** The unified diff of one file. */
export async function diffFile(
  own: OwnGitFolder,
  trees: { readonly before: string; readonly after: string },
  file: Pick<ChangedFile, "path" | "from">,
  maxBytes: number,
): Promise<FileDiff> {
  const paths = file.from === null ? [file.path] : [file.from, file.path];
  return diffPaths(own, trees, paths, maxBytes);
}

/** A patch of everything that `git apply` takes. */
export function diffAll(
  own: OwnGitFolder,
  trees: { readonly before: string; readonly after: string },
  maxBytes: number,
): Promise<FileDiff> {
  return diffPaths(own, trees, [], maxBytes, ["--binary", "--full-index"]);
}

async function diffPaths(
  own: OwnGitFolder,
  { before, after }: { readonly before: string; readonly after: string },
  paths: readonly RawPath[],
  maxBytes: number,
  more: readonly string[] = [],
): Promise<FileDiff> {
  const args = ["diff-tree", "-r", "-p", "--find-renames", ...more, ...PLAIN, before, after];
  const names = paths.map(shownPath);
  const { stdout, ended } = await own.git([...args, "--", ...names], { maxBytes });
  const isCut = ended === "too_long";
  if (ended !== null && !isCut) throw new GitFault("The diff took too long.");
  return { patch: stdout.toString("utf8"), isCut };
}
