import { createHash, randomUUID } from "node:crypto";
import { lstat, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { GitFault } from "../git-fault.ts";
import type { OwnGitFolder } from "../own-git-folder.ts";

/** A copy of the user's index to work with. The user's own one is replaced at the end, or never. */
export interface IndexDraft {
  readonly path: string;
  /** Puts the draft in the place of the user's index. Throws a `GitFault` if that is in use, or has changed meanwhile. */
  install(): Promise<void>;
  /** Puts the user's index back as it was. */
  restore(): Promise<void>;
  close(): Promise<void>;
}

/** `head`: what the index contains if the user has none. */
export async function openIndexDraft(own: OwnGitFolder, head: string | null): Promise<IndexDraft> {
  const index = path.join(own.folders.own, "index");
  const draft = path.join(own.path, `draft-${randomUUID()}`);
  const before = `${draft}.before`;
  const close = async (): Promise<void> => {
    for (const file of [draft, `${draft}.lock`, before]) await rm(file, { force: true });
  };
  try {
    const stats = await lstat(index).catch(() => null);
    if (stats !== null && !stats.isFile()) throw new GitFault("The index of Git is not a file.");
    // With a later time Git would not notice files that changed in the second in which the index was written.
    if (stats !== null)
      await own.shell('cp -p -- "$1" "$2" && cp -p -- "$2" "$3"', [index, before, draft]);
    const hash = await hashOf(before);
    if (stats === null || !(await isReadable(own, draft))) {
      await rm(draft, { force: true });
      await own.git(["-c", "index.version=2", "read-tree", head ?? "--empty"], { index: draft });
    }
    return {
      path: draft,
      install: async () => {
        if ((await lstat(`${index}.lock`).catch(() => null)) !== null)
          throw new GitFault("Another program of Git is at work in this folder.");
        if ((await hashOf(index)) !== hash)
          throw new GitFault("The index of Git has changed meanwhile.");
        await own.shell(INSTALL, [draft, index, randomUUID()]);
      },
      restore: async () => {
        if (stats === null) await own.shell('rm -f -- "$1"', [index]);
        else await own.shell(INSTALL, [before, index, randomUUID()]);
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * The time of the index tells Git which files may have changed since, so it is kept. Nobody can guess the name of the copy and
 * make a link of it.
 */
const INSTALL = 'cp -p -- "$1" "$2.$3" && mv -f -- "$2.$3" "$2"';

/** An index may refer to another file, which only Git itself finds. */
async function isReadable(own: OwnGitFolder, index: string): Promise<boolean> {
  try {
    await own.git(["ls-files", "--unmerged"], { index });
    return true;
  } catch (error) {
    if (error instanceof GitFault) return false;
    throw error;
  }
}

async function hashOf(file: string): Promise<string> {
  const bytes = await readFile(file).catch(() => null);
  return bytes === null ? "" : createHash("sha256").update(bytes).digest("hex");
}
