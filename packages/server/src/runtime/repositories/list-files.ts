import { constants, type Dirent } from "node:fs";
import { open, opendir } from "node:fs/promises";
import path from "node:path";
import { nullOn } from "../error-codes.ts";
import { parseGitignore, type IgnoreRules } from "./gitignore.ts";
import { BEST_PROOF, openFolder } from "./open-folder.ts";

export interface FileList {
  /** Relative to the folder, with slashes; breadth first. */
  readonly paths: readonly string[];
  /** The walk ended at a bound. */
  readonly truncated: boolean;
}

export interface ListBounds {
  /** Files and folders. */
  readonly maxEntries: number;
  readonly withinMs: number;
}

/** Folders read at the same time. */
const AT_ONCE = 8;
const IGNORE_FILE_BYTES = 64 * 1024;

interface Folder {
  /** The names of its path, relative to the root. */
  readonly names: readonly string[];
  /** The rules of this folder and its parents, nearest first. */
  readonly rules: readonly { readonly depth: number; readonly rules: IgnoreRules }[];
}

/** The entries of one folder that are not ignored. */
interface FolderListing {
  readonly files: string[];
  readonly folders: Folder[];
}

/**
 * Lists the files of a folder that Git would not ignore. It starts no program and follows no link: each folder is opened, and
 * is skipped if its real path is not the expected one.
 */
export async function listFiles(root: string, bounds: ListBounds): Promise<FileList> {
  const deadline = performance.now() + bounds.withinMs;
  const paths: string[] = [];
  let left = bounds.maxEntries;
  let truncated = false;
  const isOver = (count = 0): boolean => left - count <= 0 || performance.now() > deadline;

  const take = (folder: Folder, entry: Dirent, listing: FolderListing): void => {
    const names = [...folder.names, entry.name];
    const isFolder = entry.isDirectory();
    left -= 1;
    if (entry.name === ".git" || !isPlainName(entry.name)) return;
    if (!isFolder && !entry.isFile() && !entry.isSymbolicLink()) return;
    if (isIgnored(folder, names, isFolder)) return;
    if (isFolder) listing.folders.push({ names, rules: folder.rules });
    else listing.files.push(names.join("/"));
  };

  const look = async (folder: Folder): Promise<FolderListing> => {
    const listing: FolderListing = { files: [], folders: [] };
    if (isOver()) {
      truncated = true;
      return listing;
    }
    const read = await readFolder(root, folder, isOver);
    if (read === null) return listing;
    truncated ||= read.isCut;
    for (const entry of read.entries) {
      if (isOver()) {
        truncated = true;
        break;
      }
      take(read.folder, entry, listing);
    }
    return listing;
  };

  let level: readonly Folder[] = [{ names: [], rules: [] }];
  while (level.length > 0) {
    const next: Folder[] = [];
    for (let at = 0; at < level.length; at += AT_ONCE) {
      // In the order of the requests, so that the result does not depend on timing.
      for (const listing of await Promise.all(level.slice(at, at + AT_ONCE).map(look))) {
        paths.push(...listing.files);
        next.push(...listing.folders);
      }
    }
    level = next;
  }
  return { paths, truncated };
}

interface ReadFolder {
  readonly folder: Folder;
  readonly entries: readonly Dirent[];
  /** Not all entries were read. */
  readonly isCut: boolean;
}

/** Null if the path is not, or no longer, a folder. */
async function readFolder(
  root: string,
  { names, rules }: Folder,
  isOver: (found: number) => boolean,
): Promise<ReadFolder | null> {
  const folderPath = path.join(root, ...names);
  const opened = await openFolder(folderPath, BEST_PROOF).catch(nullIfGone);
  if (opened === null || !opened.ok) return null;
  try {
    if (opened.path !== folderPath) return null;
    const { base } = opened;
    const { entries, isCut } = await readEntries(base, isOver);
    const file = entries.find((entry) => entry.name === ".gitignore" && entry.isFile());
    const text = file === undefined ? null : await readStart(path.join(base, file.name));
    const own = text === null ? [] : [{ depth: names.length, rules: parseGitignore(text) }];
    return { folder: { names, rules: [...own, ...rules] }, entries, isCut };
  } catch (error) {
    return nullIfGone(error);
  } finally {
    await opened.close();
  }
}

async function readEntries(
  folder: string,
  isOver: (found: number) => boolean,
): Promise<Pick<ReadFolder, "entries" | "isCut">> {
  const entries: Dirent[] = [];
  let isCut = false;
  for await (const entry of await opendir(folder, { bufferSize: 256 })) {
    isCut = isOver(entries.length);
    if (isCut) break;
    entries.push(entry);
  }
  return { entries: entries.toSorted((one, other) => (one.name < other.name ? -1 : 1)), isCut };
}

/** The nearest `.gitignore` with a matching line decides. */
function isIgnored({ rules }: Folder, names: readonly string[], isFolder: boolean): boolean {
  for (const { depth, rules: file } of rules) {
    const decision = file.decide(names.slice(depth), isFolder);
    if (decision !== null) return decision === "ignored";
  }
  return false;
}

/** Without control or format characters, which could forge lines of a message. */
function isPlainName(name: string): boolean {
  return !/[\p{Cc}\p{Cf}\u2028\u2029\uFFFD]/u.test(name);
}

/** Follows no link and does not block on a pipe. */
async function readStart(file: string): Promise<string | null> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(file, flags).catch(nullIfGone);
  if (handle === null) return null;
  try {
    if (!(await handle.stat()).isFile()) return null;
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(IGNORE_FILE_BYTES));
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** Files that disappear during the walk, or are not accessible, are left out. */
const nullIfGone = nullOn(
  "ENOENT",
  "ENOTDIR",
  "EACCES",
  "EPERM",
  "ELOOP",
  "ENAMETOOLONG",
  "ENXIO",
  "EISDIR",
);
