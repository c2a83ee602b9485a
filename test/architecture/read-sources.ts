import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { SourceFile } from "./violations.ts";

export const root: string = join(import.meta.dirname, "../..");

const FOLDERS = ["packages", "test", "bench", "scripts"];

/** Every hand-written source file of the repository. */
export function readSources(): readonly SourceFile[] {
  return FOLDERS.flatMap(filesUnder).map((path) => ({
    path,
    source: readFileSync(join(root, path), "utf8"),
  }));
}

function filesUnder(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      return entry.name === "dist" || entry.name === "node_modules" ? [] : filesUnder(path);
    }
    return /\.(tsx?|m?js|css)$/.test(entry.name) ? [path] : [];
  });
}
