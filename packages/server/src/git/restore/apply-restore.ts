import { rename } from "node:fs/promises";
import path from "node:path";
import { newDraft, removeDraft } from "../drafts.ts";
import { GitFault } from "../git-fault.ts";
import type { OwnGitFolder } from "../own-git-folder.ts";
import { shownPath } from "../raw-path.ts";
import type { ChangedFile } from "../snapshot/changed-file.ts";
import { compareTrees } from "../snapshot/compare.ts";
import { linkIndex } from "../snapshot/copy-index.ts";
import { takeSnapshot, type KnownTree } from "../snapshot/take-snapshot.ts";
import { treeWith } from "../snapshot/tree-with.ts";
import { findBlocked } from "./find-blocked.ts";

interface Change {
  readonly now: string;
  readonly result: string;
}

/**
 * Changes the working files from one tree to another. Throws a `GitFault` and changes nothing if a file is not as in `now`. The
 * caller has just taken the snapshot `now`. If the process is ended in the middle, `finishRestore` ends it.
 */
export async function applyRestore(
  own: OwnGitFolder,
  known: KnownTree,
  { now, result }: Change,
): Promise<void> {
  if (now === result) return;
  // Git would overwrite ignored files.
  const [blocked] = await findBlocked(own.folders.folder, await changesOf(own, { now, result }));
  if (blocked !== undefined)
    throw new GitFault(`Another file is in the place of ${shownPath(blocked)}.`);
  const draft = path.join(own.path, newDraft());
  try {
    await linkIndex(own.index, draft);
    await own
      .shell(UNTIL_KILLED, ["read-tree", "-m", "-u", "--no-recurse-submodules", now, result], {
        index: draft,
        writesFiles: true,
        holdsInput: true,
      })
      .catch(explain);
    await rename(draft, own.index);
  } finally {
    // The index may contain changes of other files.
    known.tree = null;
    await removeDraft(draft);
  }
}

/**
 * Runs Git, and kills it when our process is killed, which closes the input. Otherwise it would go on to change files beside
 * our next process.
 */
const UNTIL_KILLED = `
exec 3<&0
git "$@" 3<&- < /dev/null &
git=$!
{ read -r _ <&3; kill -KILL "$git"; } 2> /dev/null > /dev/null &
guard=$!
wait "$git"
code=$?
kill -KILL "$guard"
exit "$code"
`;

/** Git checks all files before it changes the first one. */
function explain(error: unknown): never {
  if (!(error instanceof GitFault)) throw error;
  const { message, detail } = error;
  const isUnchanged = /not uptodate|would be overwritten|would be removed|would lose|overlaps/iu;
  if (isUnchanged.test(detail ?? ""))
    throw new GitFault("The files have changed in the meantime.", { detail, cause: error });
  throw new GitFault(`The files may have been changed in part: ${message}`, {
    detail,
    cause: error,
  });
}

/**
 * Ends a restoration from `now` to `result` that was ended in the middle: all files of the restoration get their state in
 * `result`, unless somebody has edited them since. The others stay. `keep` gets the tree of what was there.
 */
export async function finishRestore(
  own: OwnGitFolder,
  known: KnownTree,
  change: Change,
  keep: (tree: string) => Promise<void>,
): Promise<void> {
  const files = await changesOf(own, change);
  if (files.length === 0) return;
  // Only these: of the rules that tell which new files are ignored, there may be only the beginning, or nothing.
  const more = files.map((file) => file.path);
  const { tree } = await takeSnapshot(own, known, { more, onlyKnown: true });
  const result = await treeWith(own, tree, await withoutEdited(own, change.now, tree, files));
  if (result === tree) return;
  await keep(tree);
  await applyRestore(own, known, { now: tree, result });
}

/** Leaves out files that are neither as before the restoration nor as after it, and not a part of it. */
async function withoutEdited(
  own: OwnGitFolder,
  now: string,
  tree: string,
  files: readonly ChangedFile[],
): Promise<readonly ChangedFile[]> {
  const since = new Map(
    (await compareTrees(own, now, tree, { renames: false })).map((file) => [file.path, file]),
  );
  const kept: ChangedFile[] = [];
  for (const file of files) {
    const other = since.get(file.path);
    const current = other === undefined ? file.before : other.after;
    // Git removes a file before it writes it anew.
    const isKnown = current === null || current === file.before || current === file.after;
    if (isKnown || (await isBeginning(own, current, file.after))) kept.push(file);
  }
  return kept;
}

/** Whether the file was being written: its content is the beginning of the other. */
async function isBeginning(
  own: OwnGitFolder,
  part: string | null,
  whole: string | null,
): Promise<boolean> {
  if (part === null || whole === null) return false;
  const read = async (blob: string): Promise<Buffer | null> => {
    const { stdout, ended } = await own.git(["cat-file", "blob", blob], { mayBeCut: true });
    return ended === null ? stdout : null;
  };
  const [one, other] = [await read(part), await read(whole)];
  return one !== null && other !== null && other.subarray(0, one.length).equals(one);
}

function changesOf(own: OwnGitFolder, { now, result }: Change): Promise<readonly ChangedFile[]> {
  return compareTrees(own, now, result, { renames: false });
}
