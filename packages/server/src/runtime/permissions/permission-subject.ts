import { readlink, realpath } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { isArray, isObject, type Json, type JsonObject } from "../../domain/json.ts";
import type { PermissionSubject } from "../../domain/policy/permission-subject.ts";
import { quoteWords } from "../../domain/policy/shell-command.ts";

/**
 * The action that a permission is about, read from the argument names that agents use. A path with symbolic links counts
 * twice: as written, and resolved.
 */
export async function permissionSubject(
  request: JsonObject,
  { fingerprint, folder }: { readonly fingerprint: string; readonly folder: string | null },
): Promise<PermissionSubject> {
  const kind = textOf(request["kind"]);
  const input = request["input"] ?? null;
  const fields = inputOf(input);
  const named = [...pathsIn(input), ...textsIn(request["locations"])].slice(0, MAX_PATHS);
  const paths = await Promise.all(named.map((each) => locationsOf(each, folder)));
  const line = commandIn(fields);
  const title = textOf(request["title"]) ?? "";
  const shownCommand = kind === "execute" ? ({ line: title, is: "shown" } as const) : null;
  const isPatch = patchesIn(input).length > 0;
  const isVague = kind === null || kind === "other";
  return {
    kind: isPatch && isVague ? "edit" : kind,
    tool: textOf(request["tool"]),
    paths: [...new Set(paths.flat())],
    command: line === null ? shownCommand : { line, is: "exact" },
    folder: textOf(firstOf(fields, FOLDER_KEYS)),
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
/** Objects whose keys are paths. */
const KEYED_BY_PATH: ReadonlySet<string> = new Set(["changes", "file_changes", "fileChanges"]);
/** Lists of changes, each with a file name. */
const LISTS = new Set(["edits", "changes", "operations", "files", "locations"]);

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
  const fields = inputOf(input);
  const named = Object.entries(fields).flatMap(([key, value]): readonly string[] => {
    if (KEYED_BY_PATH.has(key) && isObject(value)) return Object.keys(value);
    const listed =
      LISTS.has(key) && value !== undefined && isArray(value)
        ? value.filter(isObject).flatMap(pathsIn)
        : [];
    if (!PATH_KEYS.has(key)) return listed;
    return typeof value === "string" ? [value] : [...textsIn(value), ...listed];
  });
  return [...named, ...patched].filter((each) => each !== "");
}

/** Patches in the format that several agents use for edits, anywhere in the input. */
function patchesIn(input: Json): readonly string[] {
  const texts = typeof input === "string" ? [input] : Object.values(inputOf(input));
  return texts.filter((text) => typeof text === "string").filter((text) => PATCH.test(text));
}

const PATCH = /^\s*\*\*\* Begin Patch/u;
const PATCHED = /^\*\*\* (?:Add File|Update File|Delete File|Move to): (.+)$/gmu;

function patchedFiles(patch: string): readonly string[] {
  return Array.from(patch.matchAll(PATCHED), ([, file = ""]) => file.trim());
}

/** The path as written and resolved: relative inside the folder, absolute outside. */
async function locationsOf(written: string, folder: string | null): Promise<readonly string[]> {
  const absolute = folder === null ? null : absoluteOf(written, folder);
  if (folder === null || absolute === null) return [`~/${written}`];
  return [absolute, await resolveLinks(absolute, MAX_STEPS)].map((each) =>
    locationIn(folder, each),
  );
}

/** Null when the path is ambiguous: a home folder, a URL, or a path with control characters. */
function absoluteOf(written: string, folder: string): string | null {
  if (written.startsWith("file://")) {
    return URL.canParse(written) ? path.resolve(fileURLToPath(written)) : null;
  }
  const isOdd = /[\p{Cc}\p{Cf}]/u.test(written) || written.length > 4_096;
  if (isOdd || written.startsWith("~") || /^[a-z][a-z0-9+.-]*:\/\//iu.test(written)) return null;
  return path.resolve(folder, written);
}

/** Resolves symbolic links, also of a path that does not exist yet. Too many steps resolve to the root. */
async function resolveLinks(absolute: string, steps: number): Promise<string> {
  const real = await realpath(absolute).catch(() => null);
  if (real !== null) return real;
  const parent = path.dirname(absolute);
  if (steps === 0 || parent === absolute) return path.parse(absolute).root;
  const folder = await resolveLinks(parent, steps - 1);
  const target = await readlink(absolute).catch(() => null);
  return target === null
    ? path.join(folder, path.basename(absolute))
    : resolveLinks(path.resolve(folder, target), steps - 1);
}

function locationIn(folder: string, absolute: string): string {
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
  return value !== undefined && isArray(value)
    ? value.filter((item) => typeof item === "string")
    : [];
}

function textOf(value: Json | undefined): string | null {
  return typeof value === "string" ? value : null;
}
