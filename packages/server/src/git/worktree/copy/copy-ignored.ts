import { readdir } from "node:fs/promises";
import path from "node:path";
import { GitFault } from "../../git-fault.ts";
import type { OwnGitFolder } from "../../own-git-folder.ts";
import { splitPaths, type RawPath } from "../../raw-path.ts";
import { copyPlainFile, type LeftOutReason } from "./copy-plain-file.ts";
import { parsePatterns, type Patterns } from "./ignore-pattern.ts";

export interface CopyLimits {
  readonly files: number;
  /** All files together. */
  readonly bytes: number;
  /** Files and folders that are looked at in ignored folders. */
  readonly looks: number;
}

export const COPY_LIMITS: CopyLimits = {
  files: 1_000,
  bytes: 64 * 1024 * 1024,
  looks: 20_000,
};

export interface LeftOutFile {
  readonly path: RawPath;
  readonly reason: LeftOutReason;
}

export interface Copied {
  readonly copied: readonly RawPath[];
  readonly leftOut: readonly LeftOutFile[];
}

/** So many files that were left out are named. */
const MAX_NAMED = 1_000;

/**
 * Copies untracked files that Git ignores and the patterns choose. Folders that are ignored as a whole, such as
 * `node_modules`, are searched only if a pattern names them: `config/*.json`, but not `*.json`.
 */
export async function copyIgnored(
  own: OwnGitFolder,
  to: string,
  patterns: readonly string[],
  limits: CopyLimits = COPY_LIMITS,
): Promise<Copied> {
  if (patterns.length === 0) return { copied: [], leftOut: [] };
  const from = own.folders.folder;
  const chosen = await findChosen(own, parsePatterns(patterns), limits);
  const copied: RawPath[] = [];
  const leftOut: LeftOutFile[] = [...chosen.leftOut];
  let bytes = 0;
  for (const file of chosen.files) {
    if (copied.length >= limits.files) {
      leftOut.push({ path: file, reason: "too_many" });
      continue;
    }
    const result = await copyPlainFile({ from, to, file, maxBytes: limits.bytes - bytes });
    if (typeof result === "string") leftOut.push({ path: file, reason: result });
    else {
      bytes += result.bytes;
      copied.push(file);
    }
  }
  return { copied, leftOut: leftOut.slice(0, MAX_NAMED) };
}

interface Chosen {
  readonly files: readonly RawPath[];
  readonly leftOut: readonly LeftOutFile[];
}

async function findChosen(
  own: OwnGitFolder,
  patterns: Patterns,
  limits: CopyLimits,
): Promise<Chosen> {
  // The tracked files are those of the user's index. A folder that is ignored as a whole is one line.
  const { stdout, ended } = await own.git(
    ["ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z"],
    { index: path.join(own.folders.own, "index") },
  );
  if (ended !== null) throw new GitFault("There are too many ignored files to be listed.");
  // Git lists some files twice: alone, and as a part of their folder.
  const files = new Set<RawPath>();
  const leftOut: LeftOutFile[] = [];
  let looks = 0;
  const visit = async (each: RawPath): Promise<void> => {
    if (!each.endsWith("/")) {
      if (patterns.matches(each)) files.add(each);
      return;
    }
    if (!patterns.matches(each) && !patterns.mayMatchIn(each)) return;
    if (looks >= limits.looks) {
      leftOut.push({ path: each, reason: "too_many" });
      return;
    }
    for (const inside of await namesIn(own.folders.folder, each)) {
      looks += 1;
      await visit(inside);
    }
  };
  for (const each of splitPaths(stdout)) await visit(each);
  return { files: [...files], leftOut };
}

/** Folders have a slash at their end. Links are no folders. */
async function namesIn(root: string, folder: RawPath): Promise<readonly RawPath[]> {
  const place = Buffer.concat([Buffer.from(`${root}/`), Buffer.from(folder, "latin1")]);
  const entries = await readdir(place, { withFileTypes: true, encoding: "buffer" }).catch(() => []);
  return entries
    .map((entry) => `${folder}${entry.name.toString("latin1")}${entry.isDirectory() ? "/" : ""}`)
    .toSorted()
    .flatMap((name) => splitPaths(Buffer.from(name, "latin1")));
}
