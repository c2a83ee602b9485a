import { mkdir } from "node:fs/promises";
import path from "node:path";
import { newDraft, removeDraft } from "../drafts.ts";
import type { OwnGitFolder } from "../own-git-folder.ts";
import { joinPaths, splitPaths, type RawPath } from "../raw-path.ts";
import { isSubmodule, type ChangedFile } from "../snapshot/changed-file.ts";
import { compareTrees } from "../snapshot/compare.ts";
import { findIgnored } from "../snapshot/find-ignored.ts";
import { treeWith } from "../snapshot/tree-with.ts";
import { findBlocked } from "./find-blocked.ts";

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
   * `edited_since`: somebody else has changed it since. `in_the_way`: a file that is kept, ignored, or too large for snapshots, is in its place.
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
  const rulesChanged = differing.some((file) => isRules(file.path));
  if (rulesChanged)
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

/**
 * Files to be removed that were ignored at the time of the target: then they are not new, only the rules have changed.
 * The rules of that time are written into an empty folder, where Git reads them.
 */
async function findOnceIgnored(
  own: OwnGitFolder,
  target: string,
  files: readonly ChangedFile[],
): Promise<readonly RawPath[]> {
  const removed = files.filter(({ after }) => after === null).map((file) => file.path);
  if (removed.length === 0) return [];
  const index = path.join(own.path, newDraft());
  const folder = path.join(own.path, newDraft());
  try {
    await mkdir(folder, { mode: 0o700 });
    await own.git(["read-tree", target], { index });
    const { stdout } = await own.git(["ls-files", "-z"], { index });
    const rules = splitPaths(stdout).filter(isRules);
    await own.git([`--work-tree=${folder}`, "checkout-index", "-z", "--stdin"], {
      index,
      input: joinPaths(rules),
    });
    const ignored = await findIgnored(own, removed, { folder, index });
    return removed.filter((each) => ignored.has(each));
  } finally {
    await removeDraft(index);
    await removeDraft(folder);
  }
}

function isRules(file: string): boolean {
  return /(?:^|\/)\.gitignore$/u.test(file);
}
