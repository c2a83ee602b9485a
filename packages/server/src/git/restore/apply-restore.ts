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
 * `result`, the others stay. `keep` gets the tree of what was there.
 */
export async function finishRestore(
  own: OwnGitFolder,
  known: KnownTree,
  change: Change,
  keep: (tree: string) => Promise<void>,
): Promise<void> {
  const files = await changesOf(own, change);
  if (files.length === 0) return;
  // A file that the restoration brought back may be ignored by rules that it brought back too.
  const more = files.filter(({ after }) => after !== null).map((file) => file.path);
  const { tree } = await takeSnapshot(own, known, { more });
  const result = await treeWith(own, tree, files);
  if (result === tree) return;
  await keep(tree);
  await applyRestore(own, known, { now: tree, result });
}

function changesOf(own: OwnGitFolder, { now, result }: Change): Promise<readonly ChangedFile[]> {
  return compareTrees(own, now, result, { renames: false });
}
