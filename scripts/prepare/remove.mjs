import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const REMOVED = fileURLToPath(new URL("../../.cache/removed", import.meta.url));

/**
 * Moves the paths away and deletes them in a process of its own: for 20,000 files this takes seconds, on a busy machine a minute. If
 * that process is interrupted, the next one deletes the rest.
 */
export function removeInBackground(paths) {
  const folder = join(REMOVED, randomUUID());
  mkdirSync(folder, { recursive: true });
  for (const [index, path] of paths.entries()) moveOrDelete(path, join(folder, String(index)));
  const program = "require('node:fs').rmSync(process.argv[1], { recursive: true, force: true })";
  spawn(process.execPath, ["-e", program, REMOVED], { detached: true, stdio: "ignore" }).unref();
}

function moveOrDelete(path, target) {
  try {
    renameSync(path, target);
  } catch (error) {
    if (error.code === "ENOENT") return;
    // A folder on another file system, such as a volume, cannot be moved.
    if (error.code !== "EXDEV") throw error;
    rmSync(path, { recursive: true, force: true });
  }
}
