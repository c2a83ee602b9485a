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
  const input = refs.map(({ name, object }) => `update ${name}\0${object}\0\0`).join("");
  await own.repositoryGit(["update-ref", "--stdin", "-z"], { input });
}

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
  const input = names.map((name) => `delete ${name}\0\0`).join("");
  await own.repositoryGit(["update-ref", "--stdin", "-z"], { input });
}
