import { randomUUID } from "node:crypto";
import { lstat, mkdir, readdir, rm } from "node:fs/promises";
import path from "node:path";
import type { OwnGitFolder } from "../own-git-folder.ts";
import { joinPaths, pathBytes, splitPaths, type RawPath } from "../raw-path.ts";
import type { ChangedFile } from "../snapshot/changed-file.ts";
import { compareTrees } from "../snapshot/compare.ts";

export interface RestoreRequest {
  /** The tree of the files as they are now. */
  readonly now: string;
  /** The tree to go back to. */
  readonly target: string;
  /** Pairs of trees between which other people or programs changed files. */
  readonly gaps: readonly (readonly [before: string, after: string])[];
  /** Also restores files that others have changed since. */
  readonly force: boolean;
}

export interface KeptFile {
  readonly path: RawPath;
  /**
   * `edited_since`: somebody else has changed it since. `in_the_way`: a file that is kept, or ignored, is in its place.
   * `ignored`: it was ignored at that time, so its state is unknown. `submodule`: it is a repository of its own.
   */
  readonly reason: "edited_since" | "in_the_way" | "ignored" | "submodule";
}

export interface RestorePlan {
  readonly now: string;
  /** The tree of the files afterwards. */
  readonly result: string;
  /** Without renames: what will be done to the files. */
  readonly files: readonly ChangedFile[];
  /** Files that differ from the target and stay as they are. */
  readonly kept: readonly KeptFile[];
}

/** Decides what a restoration changes. Writes no working files. */
export async function planRestore(
  own: OwnGitFolder,
  { now, target, gaps, force }: RestoreRequest,
): Promise<RestorePlan> {
  const differing = await compareTrees(own, now, target, { renames: false });
  const edited = new Set<RawPath>();
  if (!force)
    for (const [before, after] of gaps)
      for (const { path: each } of await compareTrees(own, before, after, { renames: false }))
        edited.add(each);
  const kept = new Map<RawPath, KeptFile["reason"]>();
  for (const file of differing) {
    if (isSubmodule(file)) kept.set(file.path, "submodule");
    else if (edited.has(file.path)) kept.set(file.path, "edited_since");
  }
  const remaining = (): readonly ChangedFile[] => differing.filter((file) => !kept.has(file.path));
  for (const file of await findOnceIgnored(own, target, remaining())) kept.set(file, "ignored");
  for (const file of await findBlocked(own.folders.folder, remaining(), kept))
    kept.set(file, "in_the_way");
  const files = remaining();
  return {
    now,
    result: files.length === 0 ? now : await treeWith(own, now, files),
    files,
    kept: [...kept].map(([each, reason]) => ({ path: each, reason })),
  };
}

function isSubmodule({ modeBefore, modeAfter }: ChangedFile): boolean {
  return modeBefore === "160000" || modeAfter === "160000";
}

/** The tree with these changes. */
export async function treeWith(
  own: OwnGitFolder,
  tree: string,
  files: readonly ChangedFile[],
): Promise<string> {
  const index = path.join(own.path, `draft-${randomUUID()}`);
  try {
    await own.git(["read-tree", tree], { index });
    const none = "0".repeat(tree.length);
    const lines = files.map(({ path: each, modeAfter, after }) =>
      Buffer.concat([
        Buffer.from(modeAfter === null ? `0 ${none} 0\t` : `${modeAfter} ${after ?? none} 0\t`),
        pathBytes(each),
        Buffer.from("\0"),
      ]),
    );
    // What is removed first makes room for a file in the place of a folder.
    const [gone, present] = [true, false].map((isGone) =>
      lines.filter((_, at) => (files[at]?.modeAfter === null) === isGone),
    );
    await own.git(["update-index", "-z", "--index-info"], {
      index,
      input: Buffer.concat([...(gone ?? []), ...(present ?? [])]),
    });
    const { stdout } = await own.git(["write-tree", "--missing-ok"], { index });
    return stdout.toString("latin1").trim();
  } finally {
    await rm(index, { force: true });
  }
}

/**
 * Files to be removed that were ignored at the time of the target: then they are not new, only the rules have changed.
 * The rules of that time are written into an empty folder, where Git reads them.
 */
async function findOnceIgnored(
  own: OwnGitFolder,
  target: string,
  files: readonly ChangedFile[],
): Promise<readonly RawPath[]> {
  const rulesChanged = files.some((file) => /(?:^|\/)\.gitignore$/u.test(file.path));
  const removed = files.filter(({ after }) => after === null).map((file) => file.path);
  if (!rulesChanged || removed.length === 0) return [];
  const id = randomUUID();
  const index = path.join(own.path, `draft-${id}`);
  const folder = path.join(own.path, `rules-${id}`);
  try {
    await mkdir(folder, { mode: 0o700 });
    await own.git(["read-tree", target], { index });
    const { stdout } = await own.git(["ls-files", "-z"], { index });
    const rules = splitPaths(stdout).filter((each) => /(?:^|\/)\.gitignore$/u.test(each));
    await own.git([`--work-tree=${folder}`, "checkout-index", "-z", "--stdin"], {
      index,
      input: joinPaths(rules),
    });
    // The command takes no literal paths. `./` keeps a name that begins with a colon from having a meaning.
    const input = Buffer.from(removed.map((each) => `./${each}\0`).join(""), "latin1");
    const options = ["--no-literal-pathspecs", `--work-tree=${folder}`];
    const checked = await own.git([...options, "check-ignore", "--no-index", "-z", "--stdin"], {
      index,
      input,
      codes: [0, 1],
    });
    const ignored = new Set(splitPaths(checked.stdout).map((each) => each.slice(2)));
    return removed.filter((each) => ignored.has(each));
  } finally {
    await rm(index, { force: true });
    await rm(folder, { recursive: true, force: true });
  }
}

/** Files that cannot be written, because something that stays is in their place. */
async function findBlocked(
  folder: string,
  files: readonly ChangedFile[],
  kept: ReadonlyMap<RawPath, unknown>,
): Promise<readonly RawPath[]> {
  const removed = new Set<string>(
    files.filter(({ after }) => after === null).map((file) => file.path),
  );
  const blocked: RawPath[] = [];
  for (const file of files) {
    // Only a new file can meet something.
    if (file.before !== null || file.after === null) continue;
    const isBlocked =
      (await hasOtherParent(folder, file.path, removed, kept)) ||
      (await hasOtherContent(folder, file.path, removed));
    if (isBlocked) blocked.push(file.path);
  }
  return blocked;
}

/** Whether a part of its path is a file that stays. */
async function hasOtherParent(
  folder: string,
  file: RawPath,
  removed: ReadonlySet<string>,
  kept: ReadonlyMap<string, unknown>,
): Promise<boolean> {
  for (let end = file.indexOf("/"); end >= 0; end = file.indexOf("/", end + 1)) {
    const parent = file.slice(0, end);
    if (kept.has(parent)) return true;
    const stats = await statRaw(folder, parent);
    if (stats === null) return false;
    if (!stats.isDirectory() && !removed.has(parent)) return true;
  }
  return false;
}

/** Whether the file exists already, or a folder in its place has content that stays. */
async function hasOtherContent(
  folder: string,
  file: string,
  removed: ReadonlySet<string>,
): Promise<boolean> {
  if (removed.has(file)) return false;
  const stats = await statRaw(folder, file);
  if (stats === null) return false;
  if (!stats.isDirectory()) return true;
  const names = await readdir(rawPath(folder, file), { encoding: "buffer" });
  for (const name of names)
    if (await hasOtherContent(folder, `${file}/${name.toString("latin1")}`, removed)) return true;
  return false;
}

async function statRaw(folder: string, file: string): ReturnType<typeof orNull> {
  return orNull(rawPath(folder, file));
}

async function orNull(file: Buffer): Promise<Awaited<ReturnType<typeof lstat>> | null> {
  return lstat(file).catch(() => null);
}

function rawPath(folder: string, file: string): Buffer {
  return Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(file, "latin1")]);
}
