import { readlink, realpath } from "node:fs/promises";
import path from "node:path";

/** As many links in a row as systems follow. */
const MAX_LINKS = 40;

/**
 * Where a path really leads: all of it, or, when it does not exist or may not be looked at, as much as
 * there is. Also of a link to nothing it is known where to: whether something exists outside of a folder
 * must not show.
 */
export async function nearestReal(
  wanted: string,
): Promise<{ readonly path: string; readonly isWhole: boolean }> {
  const real = await realOrNull(wanted);
  if (real !== null) return { path: real, isWhole: true };
  let rest = wanted;
  let links = 0;
  while (rest !== path.dirname(rest)) {
    const folder = path.dirname(rest);
    const target = await readlink(rest).catch(nullIfExpected);
    if (target !== null) links += 1;
    if (links > MAX_LINKS) break; // in circles: it ends where it was last
    rest = target === null ? folder : path.resolve((await realOrNull(folder)) ?? folder, target);
    const found = await realOrNull(rest);
    if (found !== null) return { path: found, isWhole: false };
  }
  const last = await realOrNull(path.dirname(rest));
  return { path: last ?? path.parse(wanted).root, isWhole: false };
}

function realOrNull(wanted: string): Promise<string | null> {
  return realpath(wanted).catch(nullIfExpected);
}

/** Not there, not a link, not for us, or a path that cannot be. */
const EXPECTED: ReadonlySet<string> = new Set([
  "ENOENT",
  "ENOTDIR",
  "EACCES",
  "EPERM",
  "ELOOP",
  "EINVAL",
  "ENAMETOOLONG",
  "UNKNOWN",
]);

function nullIfExpected(error: unknown): null {
  if (error instanceof Error && "code" in error && EXPECTED.has(String(error.code))) return null;
  throw error;
}
