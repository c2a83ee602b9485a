import { accessSync, constants, statSync } from "node:fs";
import path from "node:path";

/**
 * Where a program is, as an absolute path; null when it is not there. Relative names are never looked up in the folder
 * an agent works in: what lies there is not ours to run.
 */
export function findProgram(name: string, searchPath: string | undefined): string | null {
  if (name.includes("/")) return isProgram(name) ? path.resolve(name) : null;
  for (const folder of (searchPath ?? "").split(path.delimiter)) {
    const file = path.join(folder, name);
    if (path.isAbsolute(folder) && isProgram(file)) return file;
  }
  return null;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
