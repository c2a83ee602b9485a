import { chmodSync, existsSync, lstatSync, readdirSync, statSync, type Stats } from "node:fs";
import path from "node:path";
import { errorText } from "../../domain/error-text.ts";
import { CommandFailure } from "../exit.ts";

/** Permissions of the group and of others. */
const OPEN = 0o077;
const STICKY = 0o1000;
/** A folder with one of these belongs to Holdfast. */
const OWN_FILES = ["server.lock", "holdfast.db", "holdfast.config.json", "token"];

/**
 * Takes the permissions of the group and of others away from the data folder and from what is directly in it. Throws a
 * `CommandFailure` if that is not possible, or if the folder seems to serve something else as well.
 */
export function closeFolder(folder: string): void {
  // Windows has no such permissions.
  if (process.platform === "win32") return;
  const { mode } = statSync(folder);
  const names = readdirSync(folder);
  if ((mode & OPEN) !== 0) {
    const isOurs = names.length === 0 || OWN_FILES.some((name) => names.includes(name));
    if (!isOurs || (mode & STICKY) !== 0) throw open(folder, mode, "it contains other files");
    close(folder, mode);
    if ((statSync(folder).mode & OPEN) !== 0)
      throw open(folder, mode, "its file system keeps no permissions");
  }
  for (const name of names) closeEntry(path.join(folder, name));
}

function close(folder: string, mode: number): void {
  try {
    chmodSync(folder, mode & ~OPEN & 0o777);
  } catch (error) {
    throw open(folder, mode, errorText(error), error);
  }
}

/** Files that older versions created open. In a closed folder nobody else can reach them, so a failure is no danger. */
function closeEntry(entry: string): void {
  try {
    const stats = lstatSync(entry);
    if (isClosable(stats)) chmodSync(entry, stats.mode & ~OPEN & 0o777);
  } catch {
    // It is gone, or belongs to another user.
  }
}

/** A chmod of a link would change a file elsewhere. */
function isClosable(stats: Stats): boolean {
  return !stats.isSymbolicLink() && (stats.mode & OPEN) !== 0;
}

function open(folder: string, mode: number, reason: string, cause?: unknown): CommandFailure {
  const octal = (mode & 0o7777).toString(8);
  return new CommandFailure(
    `Other users can open the data folder ${folder} (mode ${octal}), and it cannot be closed: ${reason}. Run: chmod 700 ${folder}, or choose another folder with --data, such as ${freeNameIn(folder)}.`,
    undefined,
    { cause },
  );
}

function freeNameIn(folder: string): string {
  const name = path.join(folder, "holdfast");
  return existsSync(name) ? path.join(folder, "holdfast-data") : name;
}
