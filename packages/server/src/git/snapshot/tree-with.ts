import path from "node:path";
import { newDraft, removeDraft } from "../drafts.ts";
import type { OwnGitFolder } from "../own-git-folder.ts";
import { pathBytes } from "../raw-path.ts";
import type { ChangedFile } from "./changed-file.ts";

/** The tree with these changes; null: the empty tree. */
export async function treeWith(
  own: OwnGitFolder,
  tree: string | null,
  files: readonly Pick<ChangedFile, "path" | "modeAfter" | "after">[],
): Promise<string> {
  const index = path.join(own.path, newDraft());
  try {
    await own.git(["read-tree", tree ?? "--empty"], { index });
    const none = "0".repeat(tree?.length ?? 0);
    const lineOf = ({ path: each, modeAfter, after }: (typeof files)[number]): Buffer =>
      Buffer.concat([
        Buffer.from(modeAfter === null ? `0 ${none} 0\t` : `${modeAfter} ${after ?? none} 0\t`),
        pathBytes(each),
        Buffer.from("\0"),
      ]);
    // What is removed first makes room for a file in the place of a folder.
    const gone = tree === null ? [] : files.filter(({ modeAfter }) => modeAfter === null);
    const present = files.filter(({ modeAfter }) => modeAfter !== null);
    await own.git(["update-index", "-z", "--index-info"], {
      index,
      input: Buffer.concat([...gone, ...present].map(lineOf)),
    });
    const { stdout } = await own.git(["write-tree"], { index });
    return stdout.toString("latin1").trim();
  } finally {
    await removeDraft(index);
  }
}
