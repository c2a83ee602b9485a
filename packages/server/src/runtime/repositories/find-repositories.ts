import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";

/** A Git repository in the workspace root that nobody has added yet. */
export interface FoundRepository {
  readonly path: string;
  readonly name: string;
}

export interface FoundRepositories {
  readonly found: readonly FoundRepository[];
  /** True if the search ended at a limit. */
  readonly truncated: boolean;
}

const MAX_DEPTH = 4;
const MAX_FOLDERS = 2_000;
const MAX_FOUND = 50;
const MAX_MS = 300;

/** Looks at the folders of the root, nearest first. Links and hidden folders are not followed, and repositories not entered. */
export async function findRepositories(
  root: string,
  {
    known,
    clock = Date.now,
  }: { readonly known: ReadonlySet<string>; readonly clock?: () => number },
): Promise<FoundRepositories> {
  const end = clock() + MAX_MS;
  const found: FoundRepository[] = [];
  let seen = 0;
  let level: readonly string[] = [root];
  for (let depth = 0; depth <= MAX_DEPTH && level.length > 0; depth += 1) {
    const next: string[] = [];
    for (const folder of level) {
      seen += 1;
      if (seen > MAX_FOLDERS || found.length === MAX_FOUND || clock() > end)
        return { found, truncated: true };
      // A folder that cannot be read is left out.
      const entries = await readdir(folder, { withFileTypes: true }).catch((): Dirent[] => []);
      if (entries.some((entry) => entry.name === ".git" && entry.isDirectory())) {
        if (!known.has(folder)) found.push({ path: folder, name: path.basename(folder) });
        continue;
      }
      const inside = entries.filter(isEntered).map(({ name }) => name);
      next.push(...inside.toSorted().map((name) => path.join(folder, name)));
    }
    level = next;
  }
  return { found, truncated: false };
}

function isEntered(entry: Dirent): boolean {
  return entry.isDirectory() && !entry.name.startsWith(".") && entry.name !== "node_modules";
}
