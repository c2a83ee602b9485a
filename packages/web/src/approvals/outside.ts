import { isObject } from "@holdfast/client";

/** The folders of a session, as far as they are known. */
export interface Folders {
  readonly repository: string | null;
  /** The session's own copy of the repository; null if it works in the repository itself. */
  readonly worktree: string | null;
}

/** The folder that the agent works in. Paths are shown relative to it. */
export function rootOf({ repository, worktree }: Folders): string | null {
  return worktree ?? repository;
}

/** Paths that a request names and that are not in the folder of the agent. */
export interface Outside {
  readonly of: "repository" | "worktree";
  readonly paths: readonly string[];
}

/** Null when nothing is outside, or when the folders are not known. */
export function outsideOf(paths: readonly string[], folders: Folders): Outside | null {
  const root = rootOf(folders);
  if (root === null) return null;
  const resolved = [...new Set(paths.flatMap((path) => resolvedPath(path, root) ?? []))];
  const away = resolved.filter((path) => !isInside(path, root));
  if (away.length === 0) return null;
  const { repository, worktree } = folders;
  const isNear = repository !== null && away.every((path) => isInside(path, repository));
  return { of: worktree !== null && isNear ? "worktree" : "repository", paths: away };
}

/** The names under which agents pass paths. */
const PATH_KEYS: ReadonlySet<string> = new Set([
  "abs_path",
  "absolute_path",
  "absolutePath",
  "cwd",
  "destination",
  "dir_path",
  "directory",
  "file",
  "file_path",
  "filePath",
  "filepath",
  "filename",
  "new_path",
  "notebook_path",
  "old_path",
  "path",
  "paths",
  "source",
  "target_file",
  "workdir",
]);

/** The paths in the input of a tool. */
export function pathsIn(input: unknown): readonly string[] {
  if (!isObject(input)) return [];
  return Object.entries(input).flatMap(([key, value]) => {
    if (!PATH_KEYS.has(key)) return [];
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    return values.filter((each) => typeof each === "string").filter((each) => each !== "");
  });
}

/** Null for addresses such as `https://…`. The home folder is never inside. */
function resolvedPath(path: string, root: string): string | null {
  if (/^[a-z][a-z0-9+.-]*:\/\//iu.test(path)) return null;
  if (path.startsWith("~")) return path;
  const parts: string[] = [];
  for (const part of (path.startsWith("/") ? path : `${root}/${path}`).split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}

function isInside(path: string, folder: string): boolean {
  const root = folder.replace(/\/+$/u, "");
  return path === root || path.startsWith(`${root}/`);
}
