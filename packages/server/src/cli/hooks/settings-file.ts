import {
  closeSync,
  fchmodSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { CommandFailure, EXIT } from "../exit.ts";
import { JsonFault, parsePlacedJson } from "../settings/json-places.ts";
import { misfitIn } from "./hook-entries.ts";

/** A settings file of Claude Code as it was found. */
export interface SettingsFile {
  /** As it was named. */
  readonly file: string;
  /** Where it really is, links followed. */
  readonly realFile: string;
  /** Null when there is none yet. */
  readonly text: string | null;
  readonly value: Readonly<Record<string, unknown>>;
}

const MAX_BYTES = 1024 * 1024;
const BOM = "\uFEFF";

/** Refuses what is broken, with the line. `inside` is a folder that a link must not lead out of. */
export function readSettingsFile(
  file: string,
  { inside }: { readonly inside: string | null },
): SettingsFile {
  const realFile = followed(file);
  if (inside !== null && !isInside(realFile, realpathSync(inside))) {
    throw new CommandFailure(
      `${file} leads out of the project, to ${realFile}. Nothing was changed: choose the folder it belongs to with --project, or --user.`,
    );
  }
  const found = statSync(realFile, { throwIfNoEntry: false });
  if (found === undefined) return { file, realFile, text: null, value: {} };
  if (!found.isFile()) throw new CommandFailure(`${file} is not a file. Nothing was changed.`);
  if (found.size > MAX_BYTES)
    throw new CommandFailure(`${file} is larger than 1 MiB. Nothing was changed.`);
  const text = readFileSync(realFile, "utf8");
  return { file, realFile, text, value: parseSettings(file, text) };
}

/** All or nothing, with the mode it had. Refused when somebody has changed the file meanwhile. */
export function writeSettingsFile({ file, realFile, text }: SettingsFile, next: string): void {
  const folder = path.dirname(realFile);
  mkdirSync(folder, { recursive: true });
  const now = statSync(realFile, { throwIfNoEntry: false });
  const textNow = now === undefined ? null : readFileSync(realFile, "utf8");
  if (textNow !== text)
    throw new CommandFailure(`${file} was changed by somebody else meanwhile. Try again.`);
  const draft = path.join(folder, `.${path.basename(realFile)}.${process.pid}`);
  try {
    const handle = openSync(draft, "wx", 0o666);
    try {
      if (now !== undefined) fchmodSync(handle, now.mode & 0o7777);
      writeFileSync(handle, next);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(draft, realFile);
  } catch (error) {
    rmSync(draft, { force: true });
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandFailure(`${file} cannot be written: ${reason}.`, undefined, { cause: error });
  }
}

/** The text without the mark that some editors begin with. */
export function withoutMark(text: string): { readonly mark: string; readonly json: string } {
  return text.startsWith(BOM) ? { mark: BOM, json: text.slice(1) } : { mark: "", json: text };
}

function parseSettings(file: string, text: string): SettingsFile["value"] {
  const { json } = withoutMark(text);
  if (json.trim() === "") return {};
  const refuse = (line: number, reason: string): CommandFailure =>
    new CommandFailure(`${file}, line ${line}: ${reason}. Nothing was changed.`);
  try {
    const { value, lineAt } = parsePlacedJson(json);
    const misfit = misfitIn(value);
    if (misfit !== null) throw refuse(lineAt(misfit.path), misfit.reason);
    return Object.fromEntries(Object.entries(value ?? {}));
  } catch (error) {
    if (error instanceof JsonFault) throw refuse(error.line, error.message);
    throw error;
  }
}

/** The file itself, or where it would be made. A link to nothing is followed by nobody. */
function followed(file: string): string {
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return nearestReal(file);
  try {
    return realpathSync(file);
  } catch (cause) {
    throw new CommandFailure(
      `${file} is a link that leads nowhere. Nothing was changed.`,
      EXIT.failed,
      { cause },
    );
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

function isInside(file: string, folder: string): boolean {
  const way = path.relative(folder, file);
  return way !== ".." && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way);
}
