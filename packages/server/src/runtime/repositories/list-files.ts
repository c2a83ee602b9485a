import type { Dirent } from "node:fs";
import { constants } from "node:fs";
import { open, opendir } from "node:fs/promises";
import path from "node:path";
import { parseGitignore, type IgnoreRules } from "./gitignore.ts";
import { openFolder, type FolderProof } from "./open-folder.ts";

export interface FileList {
  /** From the folder on, with slashes, those near its top first. */
  readonly paths: readonly string[];
  /** There was more than could be looked at. */
  readonly truncated: boolean;
}

export interface ListBounds {
  /** Files and folders looked at. */
  readonly maxEntries: number;
  readonly withinMs: number;
}

/** Folders that are read at the same time. */
const AT_ONCE = 8;
const IGNORE_FILE_BYTES = 64 * 1024;
const PROOF: FolderProof = process.platform === "linux" ? "descriptor" : "comparison";

interface Folder {
  /** Names from the top on. */
  readonly way: readonly string[];
  /** Of this folder and those above it, the nearest first. */
  readonly rules: readonly { readonly depth: number; readonly rules: IgnoreRules }[];
}

/** In one folder. */
interface Found {
  readonly files: string[];
  readonly folders: Folder[];
}

/**
 * The files of a folder that Git would not ignore. No program is started and no link followed: each folder
 * is opened and must be where it was looked for, or nothing of it is listed.
 */
export async function listFiles(root: string, bounds: ListBounds): Promise<FileList> {
  const deadline = performance.now() + bounds.withinMs;
  const paths: string[] = [];
  let left = bounds.maxEntries;
  let truncated = false;
  const isOver = (found = 0): boolean => left - found <= 0 || performance.now() > deadline;

  const take = (folder: Folder, entry: Dirent, found: Found): void => {
    const way = [...folder.way, entry.name];
    const isFolder = entry.isDirectory();
    left -= 1;
    if (entry.name === ".git" || !isPlainName(entry.name)) return;
    if (!isFolder && !entry.isFile() && !entry.isSymbolicLink()) return;
    if (isIgnored(folder, way, isFolder)) return;
    if (isFolder) found.folders.push({ way, rules: folder.rules });
    else found.files.push(way.join("/"));
  };

  const look = async (folder: Folder): Promise<Found> => {
    const found: Found = { files: [], folders: [] };
    if (isOver()) {
      truncated = true;
      return found;
    }
    const read = await readFolder(root, folder, isOver);
    if (read === null) return found;
    truncated ||= read.isCut;
    for (const entry of read.entries) {
      if (isOver()) {
        truncated = true;
        break;
      }
      take(read.folder, entry, found);
    }
    return found;
  };

  let level: readonly Folder[] = [{ way: [], rules: [] }];
  while (level.length > 0) {
    const next: Folder[] = [];
    for (let at = 0; at < level.length; at += AT_ONCE) {
      // In the order they were asked in, whichever was read first: the same folder has the same list each time.
      for (const found of await Promise.all(level.slice(at, at + AT_ONCE).map(look))) {
        paths.push(...found.files);
        next.push(...found.folders);
      }
    }
    level = next;
  }
  return { paths, truncated };
}

interface ReadFolder {
  readonly folder: Folder;
  readonly entries: readonly Dirent[];
  /** There is more in it. */
  readonly isCut: boolean;
}

/** Null when it is not, or no longer, a folder of its own at this place. */
async function readFolder(
  root: string,
  { way, rules }: Folder,
  isOver: (found: number) => boolean,
): Promise<ReadFolder | null> {
  const place = path.join(root, ...way);
  const opened = await openFolder(place, { proof: PROOF }).catch(nullIfGone);
  if (opened === null || !opened.ok) return null;
  try {
    if (opened.path !== place) return null;
    const base = PROOF === "descriptor" ? `/proc/self/fd/${opened.descriptor}` : place;
    const { entries, isCut } = await readEntries(base, isOver);
    const file = entries.find((entry) => entry.name === ".gitignore" && entry.isFile());
    const text = file === undefined ? null : await readStart(path.join(base, file.name));
    const own = text === null ? [] : [{ depth: way.length, rules: parseGitignore(text) }];
    return { folder: { way, rules: [...own, ...rules] }, entries, isCut };
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

/** The file nearest to it that speaks of it decides. */
function isIgnored({ rules }: Folder, way: readonly string[], isFolder: boolean): boolean {
  for (const { depth, rules: file } of rules) {
    const decision = file.decide(way.slice(depth), isFolder);
    if (decision !== null) return decision === "ignored";
  }
  return false;
}

/** No line of a message can be made of it, and it can be opened by it. */
function isPlainName(name: string): boolean {
  return !/[\p{Cc}\p{Cf}\u2028\u2029\uFFFD]/u.test(name);
}

/** Never through a link, and never from what would keep us waiting. */
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

/** What changes under us, or is not ours to see, is left out. */
const EXPECTED: ReadonlySet<string> = new Set([
  "ENOENT",
  "ENOTDIR",
  "EACCES",
  "EPERM",
  "ELOOP",
  "ENAMETOOLONG",
  "ENXIO",
  "EISDIR",
]);

function nullIfGone(error: unknown): null {
  if (error instanceof Error && "code" in error && EXPECTED.has(String(error.code))) return null;
  throw error;
}
