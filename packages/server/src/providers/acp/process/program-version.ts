import { readFileSync, realpathSync } from "node:fs";
import path from "node:path";
import { isObject } from "../../../domain/json.ts";

/** The program of a package is at most this many folders below its package.json. */
const MAX_DEPTH = 5;
const MAX_LENGTH = 60;

/** The version of a program that npm installed, from its package.json. Null for other programs: it starts nothing. */
export function programVersion(program: string): string | null {
  const file = realPath(program);
  if (
    file === null ||
    path.basename(file) === "node" ||
    !file.includes(`${path.sep}node_modules${path.sep}`)
  )
    return null;
  let folder = path.dirname(file);
  for (let depth = 0; depth < MAX_DEPTH; depth += 1, folder = path.dirname(folder)) {
    const version = versionIn(path.join(folder, "package.json"));
    if (version !== null) return version;
    if (path.basename(path.dirname(folder)) === "node_modules") return null;
  }
  return null;
}

function versionIn(file: string): string | null {
  try {
    const manifest: unknown = JSON.parse(readFileSync(file, "utf8"));
    const version = isObject(manifest) ? manifest["version"] : null;
    return typeof version === "string" && version !== "" ? version.slice(0, MAX_LENGTH) : null;
  } catch {
    return null;
  }
}

function realPath(file: string): string | null {
  try {
    return realpathSync(file);
  } catch {
    return null;
  }
}
