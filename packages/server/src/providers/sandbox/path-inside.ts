import path from "node:path";

/** Compares whole names: /work-2 is not inside /work. A folder is inside itself. */
export function isInside(target: string, folder: string): boolean {
  const relative = path.relative(folder, target);
  return relative !== ".." && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}
