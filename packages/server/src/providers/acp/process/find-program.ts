import { accessSync, constants, statSync } from "node:fs";
import path from "node:path";

/**
 * The absolute path of a program; null if it is not found. Relative folders of the search path are skipped: they could
 * lead into the agent's repository.
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
