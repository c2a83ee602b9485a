import { lstat, readdir, readFile, realpath } from "node:fs/promises";
import path from "node:path";

/** The folders in which Git keeps the data of a working folder. */
export interface GitFolders {
  /** The working folder: its real path. */
  readonly folder: string;
  /** Holds the HEAD and the index of this working folder. */
  readonly own: string;
  /** Holds the objects and branches, which linked worktrees share. */
  readonly common: string;
}

/**
 * Agents can write everything in a repository, so what it says about itself may lead anywhere. Only two forms are
 * accepted: `.git` is a folder, or it names a linked worktree that its main repository lists. A string says why not.
 */
export async function findGitFolders(folder: string): Promise<GitFolders | string> {
  const found = await findUnchecked(folder);
  if (typeof found === "string") return found;
  const link = await findLink(found.common);
  return link === null ? found : `its ${link} is a link`;
}

/** A link in a place where we write: it could lead anywhere. */
async function findLink(common: string): Promise<string | null> {
  const places = ["objects", "refs", "packed-refs", "refs/holdfast"];
  for (const name of places) if (await isLink(path.join(common, name))) return name;
  for (const [name, recursive] of [
    ["objects", false],
    ["refs/holdfast", true],
  ] as const) {
    const inside = path.join(common, name);
    const entries = await readdir(inside, { recursive, withFileTypes: true }).catch(() => []);
    const found = entries.find((entry) => entry.isSymbolicLink());
    if (found !== undefined) return path.relative(common, path.join(found.parentPath, found.name));
  }
  return null;
}

async function isLink(file: string): Promise<boolean> {
  return (await lstat(file).catch(() => null))?.isSymbolicLink() === true;
}

async function findUnchecked(folder: string): Promise<GitFolders | string> {
  const file = path.join(folder, ".git");
  const stats = await lstat(file).catch(() => null);
  if (stats === null) return "it is not a Git repository";
  if (stats.isDirectory()) {
    const isWhole = (await isFolder(path.join(file, "objects"))) && (await hasFile(file, "HEAD"));
    if (!isWhole) return "its .git is not a Git repository";
    return (await hasFile(file, "commondir"))
      ? "its .git shares the data of another folder"
      : { folder, own: file, common: file };
  }
  const linked = stats.isFile() ? await findWorktree(folder, file).catch(() => null) : null;
  return linked ?? "its .git leads to a folder that does not list it as a worktree";
}

async function findWorktree(folder: string, file: string): Promise<GitFolders | null> {
  const gitdir = /^gitdir: (.+)$/mu.exec(await readSmallFile(file))?.[1];
  if (gitdir === undefined) return null;
  const own = await realpath(path.resolve(folder, gitdir));
  const worktrees = path.dirname(own);
  const common = path.dirname(worktrees);
  if (path.basename(worktrees) !== "worktrees") return null;
  const back = path.resolve(own, (await readSmallFile(path.join(own, "gitdir"))).trim());
  const isListed = back === file && (await isFolder(path.join(common, "objects")));
  return isListed ? { folder, own, common } : null;
}

/** Does not follow links: agents could point them anywhere. */
export async function readSmallFile(file: string): Promise<string> {
  const stats = await lstat(file);
  if (!stats.isFile() || stats.size > 4_096) throw new Error(`${file} is not a small file`);
  return readFile(file, "utf8");
}

async function isFolder(file: string): Promise<boolean> {
  return (await lstat(file).catch(() => null))?.isDirectory() === true;
}

async function hasFile(folder: string, name: string): Promise<boolean> {
  return (await lstat(path.join(folder, name)).catch(() => null)) !== null;
}
