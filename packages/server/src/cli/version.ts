import { readFileSync } from "node:fs";
import path from "node:path";

/** Two folders up, both in the sources and in the build. */
const PACKAGE_FOLDER = path.resolve(import.meta.dirname, "../..");

/** The file that starts Holdfast. */
export const PROGRAM_FILE = path.join(PACKAGE_FOLDER, "bin", "holdfast.js");

export const VERSION = versionIn(path.join(PACKAGE_FOLDER, "package.json"));

function versionIn(file: string): string {
  const manifest: unknown = JSON.parse(readFileSync(file, "utf8"));
  if (typeof manifest === "object" && manifest !== null && "version" in manifest)
    return String(manifest.version);
  throw new Error(`${file} names no version.`);
}
