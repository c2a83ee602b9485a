import { accessSync, constants, realpathSync } from "node:fs";
import path from "node:path";
import type { DataFlags, Environment } from "../settings/settings.ts";
import { PROGRAM_FILE } from "../version.ts";
import { shellWord } from "../terminal/format.ts";

/** The command with which hooks call Holdfast from any folder. */
export interface HookProgram {
  /** The first words of a command line. */
  readonly command: string;
  /** Its file on the PATH; null when it is called by its absolute path. */
  readonly onPath: string | null;
}

/** Uses the name when the PATH leads to this program, else its absolute path. */
export function hookProgram(
  env: Environment,
  { file = PROGRAM_FILE, node = process.execPath }: { file?: string; node?: string } = {},
): HookProgram {
  const onPath = findOnPath(env["PATH"] ?? "");
  if (onPath !== null && realPath(onPath) === realPath(file))
    return { command: "holdfast", onPath };
  return { command: `${shellWord(node)} ${shellWord(file)}`, onPath: null };
}

/** A command line of Holdfast on the same data folder. */
export function commandLine(
  { command }: HookProgram,
  { words, flags: { data } }: { readonly words: readonly string[]; readonly flags: DataFlags },
): string {
  const place = data === undefined ? [] : ["--data", path.resolve(data)];
  return [command, ...[...words, ...place].map(shellWord)].join(" ");
}

/** Skips node_modules, which is on the PATH only while npm runs a script. */
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
