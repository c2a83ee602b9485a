import { GitFault } from "../git-fault.ts";
import type { OwnGitFolder } from "../own-git-folder.ts";
import { pathBytes, shownPath, type RawPath } from "../raw-path.ts";
import { parseChanges, type ChangedFile } from "./changed-file.ts";
import { treeWith } from "./tree-with.ts";

/** Options that keep Git from starting programs. */
const PLAIN = ["--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=none"] as const;

interface Trees {
  readonly before: string;
  readonly after: string;
}

/** The files that differ between two trees. `renames`: finds renamed files. */
export async function compareTrees(
  own: OwnGitFolder,
  before: string,
  after: string,
  { renames = true }: { readonly renames?: boolean } = {},
): Promise<readonly ChangedFile[]> {
  if (before === after) return [];
  return listChanges(own, { before, after }, ["--numstat", renames ? FIND_RENAMES : NO_RENAMES]);
}

const FIND_RENAMES = "--find-renames";
const NO_RENAMES = "--no-renames";

async function listChanges(
  own: OwnGitFolder,
  { before, after }: Trees,
  more: readonly string[],
  paths: readonly string[] = [],
): Promise<readonly ChangedFile[]> {
  const args = ["diff-tree", "-r", "-z", "--raw", "--no-abbrev", ...more, ...PLAIN, before, after];
  const { stdout, ended } = await own.git([...args, "--", ...paths], { mayBeCut: true });
  if (ended !== null) throw new GitFault("The changes are too many to be listed.");
  return parseChanges(stdout);
}

export interface FileDiff {
  /** A unified diff, as Git writes it. */
  readonly patch: string;
  /** The same, byte for byte: files and their names need not be UTF-8. */
  readonly bytes: Buffer;
  /** Whether the rest is left out. */
  readonly isCut: boolean;
}

/** The unified diff of one file. */
export async function diffFile(
  own: OwnGitFolder,
  trees: Trees,
  file: Pick<ChangedFile, "path" | "from">,
  maxBytes: number,
): Promise<FileDiff> {
  const paths = file.from === null ? [file.path] : [file.from, file.path];
  const areExact = paths.every(isUtf8);
  const names = areExact ? paths.map(shownPath) : [];
  const changes = await listChanges(own, trees, [NO_RENAMES], names);
  const wanted = changes.filter((each) => paths.includes(each.path));
  // Git takes only names in UTF-8, and the name of a folder means all files in it.
  if (areExact && wanted.length === changes.length) return diffPaths(own, trees, names, maxBytes);
  const [before, after] = await Promise.all([
    treeWith(
      own,
      null,
      wanted.map((each) => ({ path: each.path, modeAfter: each.modeBefore, after: each.before })),
    ),
    treeWith(own, null, wanted),
  ]);
  return diffPaths(own, { before, after }, [], maxBytes);
}

function isUtf8(file: RawPath): boolean {
  return Buffer.from(shownPath(file)).equals(pathBytes(file));
}

/** A patch of everything. `git apply` takes its bytes. */
export function diffAll(own: OwnGitFolder, trees: Trees, maxBytes: number): Promise<FileDiff> {
  return diffPaths(own, trees, [], maxBytes, ["--binary", "--full-index"]);
}

async function diffPaths(
  own: OwnGitFolder,
  { before, after }: Trees,
  names: readonly string[],
  maxBytes: number,
  more: readonly string[] = [],
): Promise<FileDiff> {
  const args = ["diff-tree", "-r", "-p", FIND_RENAMES, ...more, ...PLAIN, before, after];
  const { stdout, ended } = await own.git([...args, "--", ...names], { maxBytes, mayBeCut: true });
  return { patch: stdout.toString("utf8"), bytes: stdout, isCut: ended !== null };
}
