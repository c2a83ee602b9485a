import { lstat, rm } from "node:fs/promises";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { GitFault } from "../git-fault.ts";
import type { OwnGitFolder } from "../own-git-folder.ts";

/** Refs under this name keep the snapshots from Git's garbage collection. No command of Git shows them by itself. */
const ROOT = "refs/holdfast";

/** A name that is safe in a ref: an ID, and what the snapshot is of. */
export function refName(sessionId: string, ...rest: readonly string[]): string {
  return [ROOT, sessionId, ...rest].map((part) => part.replaceAll(/[^\w/-]/gu, "-")).join("/");
}

/** Makes refs to objects, all or none. Existing ones are replaced. */
export async function keepObjects(
  own: OwnGitFolder,
  refs: readonly { readonly name: string; readonly object: string }[],
): Promise<void> {
  // Git knows the empty tree without its object, but complains about a ref to it.
  if (refs.some(({ object }) => EMPTY_TREES.includes(object)))
    await own.repositoryGit(["hash-object", "-w", "-t", "tree", "--stdin"]);
  await updateRefs(
    own,
    refs.map(({ name, object }) => `update ${name}\0${object}\0\0`),
  );
}

const EMPTY_TREES: readonly string[] = [
  "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
  "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
];

/** The refs of a session, or of all of them, with their objects, sorted by name. */
export async function listRefs(
  own: OwnGitFolder,
  sessionId: string | null = null,
): Promise<readonly { readonly name: string; readonly object: string }[]> {
  const prefix = sessionId === null ? ROOT : refName(sessionId);
  const { stdout } = await own.repositoryGit([
    "for-each-ref",
    "--format=%(objectname) %(refname)",
    `${prefix}/`,
  ]);
  const lines = stdout.toString("utf8").split("\n");
  return lines.flatMap((line) => {
    const [object, name] = line.split(" ");
    return object === undefined || name === undefined ? [] : [{ name, object }];
  });
}

/** Missing refs are no error. */
export async function dropRefs(own: OwnGitFolder, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  await updateRefs(
    own,
    names.map((name) => `delete ${name}\0\0`),
  );
}

/** A process that was killed may have left a lock. It is waited for, then removed if it is one of ours. */
async function updateRefs(own: OwnGitFolder, commands: readonly string[]): Promise<void> {
  let seen: string | null = null;
  for (let tries = 1; ; tries += 1) {
    try {
      await own.repositoryGit(["update-ref", "--stdin", "-z"], { input: commands.join("") });
      return;
    } catch (error) {
      const lock = error instanceof GitFault ? await findLock(own, error.detail ?? "") : null;
      if (lock === null || tries > LOCK_TRIES) throw error;
      const { file, id } = lock;
      // Git holds it for milliseconds, so one that stays the same was left behind.
      if (tries >= LOCK_PATIENCE && id === seen) await rm(file, { force: true });
      seen = id;
      await pause(LOCK_PAUSE_MS);
    }
  }
}

const LOCK_TRIES = 40;
const LOCK_PATIENCE = 10;
const LOCK_PAUSE_MS = 50;

/** The lock of one of our refs that Git complained about. */
async function findLock(
  own: OwnGitFolder,
  detail: string,
): Promise<{ readonly file: string; readonly id: string } | null> {
  const [file] = /(?<=Unable to create ')[^'\n]+\.lock(?=': File exists)/u.exec(detail) ?? [];
  const root = `${path.join(own.folders.common, ROOT)}/`;
  if (file === undefined || !file.startsWith(root) || path.normalize(file) !== file) return null;
  const stats = await lstat(file).catch(() => null);
  return { file, id: stats === null ? "none" : `${stats.ino}:${stats.mtimeMs}` };
}
