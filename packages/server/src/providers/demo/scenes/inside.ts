import { realpathSync } from "node:fs";
import path from "node:path";

/** The real path of something in the repository; null when it is not there, or leads out of it. */
export function insideRepository(cwd: string, name: string): string | null {
  try {
    const root = realpathSync(cwd);
    const found = realpathSync(path.resolve(root, name));
    return found === root || found.startsWith(root + path.sep) ? found : null;
  } catch {
    return null;
  }
}
