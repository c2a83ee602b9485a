import { lstatSync, readFileSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import { isInside } from "../../providers/sandbox/path-inside.ts";
import { CommandFailure, EXIT } from "../exit.ts";
import { JsonFault, parseJsonWithLines } from "../settings/json-lines.ts";
import { withoutMark } from "../settings/rewrite-json.ts";
import type { ReadFile } from "../settings/replace-file.ts";
import { misfitIn } from "./hook-entries.ts";

/** A settings file of Claude Code. */
export interface SettingsFile extends ReadFile {
  readonly value: Readonly<Record<string, unknown>>;
}

const MAX_BYTES = 1024 * 1024;

/** Refuses a broken file, with the line. A link must not lead out of the folder `inside`. */
export function readSettingsFile(
  file: string,
  { inside }: { readonly inside: string | null },
): SettingsFile {
  const realFile = followed(file);
  if (inside !== null && !isInside(realFile, realpathSync(inside))) {
    throw new CommandFailure(
      `${file} is a link that leads out of the project, to ${realFile}. Nothing was changed. Choose the right folder with --project, or pass --user.`,
    );
  }
  const stat = statSync(realFile, { throwIfNoEntry: false });
  if (stat === undefined) return { file, realFile, text: null, value: {} };
  if (!stat.isFile()) throw new CommandFailure(`${file} is not a file. Nothing was changed.`);
  if (stat.size > MAX_BYTES)
    throw new CommandFailure(`${file} is larger than 1 MiB. Nothing was changed.`);
  const text = readFileSync(realFile, "utf8");
  return { file, realFile, text, value: parseSettings(file, text) };
}

function parseSettings(file: string, text: string): SettingsFile["value"] {
  const { json } = withoutMark(text);
  if (json.trim() === "") return {};
  const refuse = (line: number, reason: string): CommandFailure =>
    new CommandFailure(`${file}, line ${line}: ${reason}. Nothing was changed.`);
  try {
    const { value, lineAt } = parseJsonWithLines(json);
    const misfit = misfitIn(value);
    if (misfit !== null) throw refuse(lineAt(misfit.path), misfit.reason);
    return Object.fromEntries(Object.entries(value ?? {}));
  } catch (error) {
    if (error instanceof JsonFault) throw refuse(error.line, error.message);
    throw error;
  }
}

/** The real path of the file, also if it does not exist yet. Refuses a broken link. */
function followed(file: string): string {
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return nearestReal(file);
  try {
    return realpathSync(file);
  } catch (cause) {
    throw new CommandFailure(`${file} is a broken link. Nothing was changed.`, EXIT.failed, {
      cause,
    });
  }
}

function nearestReal(file: string): string {
  const folder = path.dirname(file);
  if (folder === file) return file;
  const real =
    lstatSync(folder, { throwIfNoEntry: false }) === undefined
      ? nearestReal(folder)
      : realpathSync(folder);
  return path.join(real, path.basename(file));
}
