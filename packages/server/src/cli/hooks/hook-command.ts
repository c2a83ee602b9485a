import { accessSync, constants, realpathSync } from "node:fs";
import path from "node:path";
import type { DataFlags, Environment } from "../settings/settings.ts";
import { PROGRAM_FILE } from "../version.ts";
import { shellWord } from "./shell-word.ts";

/** How the hooks call Holdfast, from any folder. */
export interface HookProgram {
  /** The first words of a command line. */
  readonly command: string;
  /** Where it was found on the PATH; null when it is called by its absolute path. */
  readonly onPath: string | null;
}

/** By its name where that means this very program, else by where it is. */
export function hookProgram(
  env: Environment,
  { file = PROGRAM_FILE, node = process.execPath }: { file?: string; node?: string } = {},
): HookProgram {
  const found = findOnPath(env["PATH"] ?? "");
  if (found !== null && realPath(found) === realPath(file))
    return { command: "holdfast", onPath: found };
  return { command: `${shellWord(node)} ${shellWord(file)}`, onPath: null };
}

/** A command line of it, on the same data folder. */
export function commandLine(
  { command }: HookProgram,
  { words, flags: { data } }: { readonly words: readonly string[]; readonly flags: DataFlags },
): string {
  const place = data === undefined ? [] : ["--data", path.resolve(data)];
  return [command, ...[...words, ...place].map(shellWord)].join(" ");
}

/** Folders of npm scripts are on the PATH only while npm runs something. */
function findOnPath(pathVariable: string): string | null {
  for (const folder of pathVariable.split(path.delimiter)) {
    if (!path.isAbsolute(folder) || folder.split(path.sep).includes("node_modules")) continue;
    const file = path.join(folder, "holdfast");
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      continue;
    }
  }
  return null;
}

function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}
