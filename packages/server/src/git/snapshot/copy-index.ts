import { copyFile, link, stat, utimes } from "node:fs/promises";

/**
 * Makes a second file of the index, for Git to replace. A link keeps its time. A newer time would hide changes: Git reads
 * files again that are not older than the index.
 */
export async function linkIndex(index: string, draft: string): Promise<void> {
  try {
    await link(index, draft);
  } catch (error) {
    // Some file systems have no links.
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    if (isMissing) throw error;
    await copyIndex(index, draft);
  }
}

/** A copy that does not look newer. Its time has whole milliseconds, so it is a bit older. */
export async function copyIndex(index: string, draft: string): Promise<void> {
  const { atime, mtimeMs } = await stat(index);
  await copyFile(index, draft);
  await utimes(draft, atime, (Math.floor(mtimeMs) - 1) / 1_000);
}
