import path from "node:path";

/** By whole names: /work-2 is not in /work. A folder is inside itself. */
export function isInside(target: string, folder: string): boolean {
  const way = path.relative(folder, target);
  return way === "" || (way !== ".." && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way));
}
