import { readlink, realpath } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Json, JsonObject } from "../../domain/json.ts";
import type { PermissionSubject } from "../../domain/policy/permission-policy.ts";
import { quoteWords } from "../../domain/policy/shell-command.ts";

/**
 * What a permission is about, gathered from what agents call their arguments. A path counts twice where
 * links lead elsewhere: as it is written, and as where it leads.
 */
export async function permissionSubject(
  request: JsonObject,
  { fingerprint, folder }: { readonly fingerprint: string; readonly folder: string | null },
): Promise<PermissionSubject> {
  const kind = textOf(request["kind"]);
  const title = textOf(request["title"]) ?? "";
  const input = request["input"] ?? null;
  const told = inputOf(input);
  const named = [...pathsIn(input), ...textsIn(request["locations"])].slice(0, MAX_PATHS);
  const paths = await Promise.all(named.map((each) => placesOf(each, folder)));
  const line = commandIn(told);
  const isPatch = patchesIn(input).length > 0;
  const isVague = kind === null || kind === "other";
  return {
    kind: isPatch && isVague ? "edit" : kind,
    tool: textOf(request["tool"]),
    paths: [...new Set(paths.flat())],
    command: commandOf({ line, title, kind }),
    folder: textOf(firstOf(told, FOLDER_KEYS)),
    fingerprint,
  };
}

const MAX_PATHS = 200;
const MAX_STEPS = 100;
const COMMAND_KEYS = ["command", "cmd", "commands", "script", "shell_command", "shellCommand"];
const ARGUMENT_KEYS = ["args", "arguments", "argv"];
const FOLDER_KEYS = ["cwd", "workdir", "working_directory", "workingDirectory", "directory"];
const PATH_KEYS: ReadonlySet<string> = new Set([
  "abs_path",
  "absolute_path",
  "absolutePath",
  "destination",
  "dir_path",
  "file",
  "file_path",
  "file_paths",
  "fileName",
  "filename",
  "filePath",
  "filepath",
  "files",
  "locations",
  "new_path",
  "newPath",
  "notebook_path",
  "old_path",
  "oldPath",
  "path",
  "paths",
  "source",
  "target_file",
  "targetFile",
]);
/** Objects whose names are paths. */
const KEYED_BY_PATH: ReadonlySet<string> = new Set(["changes", "file_changes", "fileChanges"]);
/** Lists of changes, each of which names its file. */
const LISTS: ReadonlySet<string> = new Set([
  "edits",
  "changes",
  "operations",
  "files",
  "locations",
]);

function commandOf({
  line,
  title,
  kind,
}: {
  readonly line: string | null;
  readonly title: string;
  readonly kind: string | null;
}): PermissionSubject["command"] {
  if (line !== null) return { line, is: "exact" };
  return kind === "execute" ? { line: title, is: "shown" } : null;
}

/** Program and arguments as one line; several commands as several lines. */
function commandIn(input: JsonObject): string | null {
  const lines = COMMAND_KEYS.flatMap((key): string[] => {
    const value = input[key];
    if (typeof value === "string") return value.trim() === "" ? [] : [value];
    const words = textsIn(value);
    if (words.length === 0) return [];
    return key === "commands" ? [...words] : [quoteWords(words)];
  });
  const args = textsIn(firstOf(input, ARGUMENT_KEYS));
  const whole = lines.map((line) => (args.length === 0 ? line : `${line} ${quoteWords(args)}`));
  return whole.length === 0 ? null : [...new Set(whole)].join("\n");
}

function pathsIn(input: Json): readonly string[] {
  const patched = patchesIn(input).flatMap(patchedFiles);
  const told = inputOf(input);
  const named = Object.entries(told).flatMap(([key, value]): readonly string[] => {
    if (KEYED_BY_PATH.has(key) && isObject(value)) return Object.keys(value);
    const listed = LISTS.has(key) && isList(value) ? value.filter(isObject).flatMap(pathsIn) : [];
    if (!PATH_KEYS.has(key)) return listed;
    return typeof value === "string" ? [value] : [...textsIn(value), ...listed];
  });
  return [...named, ...patched].filter((each) => each !== "");
}

/** Patches in the format that several agents edit with, wherever in the input they are. */
function patchesIn(input: Json): readonly string[] {
  const texts = typeof input === "string" ? [input] : Object.values(inputOf(input));
  return texts.filter((text) => typeof text === "string").filter((text) => PATCH.test(text));
}

const PATCH = /^\s*\*\*\* Begin Patch/u;
const PATCHED = /^\*\*\* (?:Add File|Update File|Delete File|Move to): (.+)$/gmu;

function patchedFiles(patch: string): readonly string[] {
  return Array.from(patch.matchAll(PATCHED), ([, file = ""]) => file.trim());
}

/** Where a path is: relative inside the folder, absolute outside of it, both as written and as it leads. */
async function placesOf(written: string, folder: string | null): Promise<readonly string[]> {
  const absolute = folder === null ? null : absoluteOf(written, folder);
  if (folder === null || absolute === null) return [`~/${written}`];
  return [absolute, await ledTo(absolute, MAX_STEPS)].map((each) => placeIn(folder, each));
}

/** Null when it could mean anything: a home folder, a URL, something with odd characters in it. */
function absoluteOf(written: string, folder: string): string | null {
  if (written.startsWith("file://")) {
    return URL.canParse(written) ? path.resolve(fileURLToPath(written)) : null;
  }
  const isOdd = /[\p{Cc}\p{Cf}]/u.test(written) || written.length > 4_096;
  if (isOdd || written.startsWith("~") || /^[a-z][a-z0-9+.-]*:\/\//iu.test(written)) return null;
  return path.resolve(folder, written);
}

/** Also of a path that is not there yet, and of a link to nothing. Too many steps lead out. */
async function ledTo(absolute: string, steps: number): Promise<string> {
  const real = await realpath(absolute).catch(() => null);
  if (real !== null) return real;
  const parent = path.dirname(absolute);
  if (steps === 0 || parent === absolute) return path.parse(absolute).root;
  const folder = await ledTo(parent, steps - 1);
  const target = await readlink(absolute).catch(() => null);
  return target === null
    ? path.join(folder, path.basename(absolute))
    : ledTo(path.resolve(folder, target), steps - 1);
}

function placeIn(folder: string, absolute: string): string {
  const relative = path.relative(folder, absolute);
  const isInside = relative !== ".." && !relative.startsWith(`..${path.sep}`);
  return isInside && !path.isAbsolute(relative) ? relative || "." : absolute;
}

function inputOf(input: Json): JsonObject {
  return isObject(input) ? input : {};
}

function firstOf(input: JsonObject, keys: readonly string[]): Json | undefined {
  return keys.map((key) => input[key]).find((value) => value !== undefined && value !== null);
}

function textsIn(value: Json | undefined): readonly string[] {
  return isList(value) ? value.filter((item) => typeof item === "string") : [];
}

function textOf(value: Json | undefined): string | null {
  return typeof value === "string" ? value : null;
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !isList(value);
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}
