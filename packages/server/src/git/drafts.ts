import { randomUUID } from "node:crypto";
import { lstat, readdir, rm } from "node:fs/promises";
import path from "node:path";

const DRAFT = "draft-";
/** Git's own names for parts of an index that are not finished. */
const DRAFT_OF_GIT = "sharedindex_";
const OLD_MS = 60 * 60_000;

/** The name of a file that is not finished. It is its own, so a lock that Git leaves beside it stops nobody. */
export function newDraft(): string {
  return `${DRAFT}${randomUUID()}`;
}

/** Also removes what Git left beside it when it was ended. */
export async function removeDraft(draft: string): Promise<void> {
  await rm(draft, { recursive: true, force: true });
  await rm(`${draft}.lock`, { force: true });
}

/** Removes the drafts of processes that were killed. */
export async function removeOldDrafts(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  const old = Date.now() - OLD_MS;
  const isDraft = (name: string): boolean =>
    name.startsWith(DRAFT) || name.startsWith(DRAFT_OF_GIT);
  for (const name of names.filter(isDraft)) {
    const file = path.join(folder, name);
    const stats = await lstat(file).catch(() => null);
    if (stats !== null && stats.mtimeMs < old) await rm(file, { recursive: true, force: true });
  }
}
