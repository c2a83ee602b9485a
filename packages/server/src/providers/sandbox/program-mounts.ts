import { closeSync, existsSync, openSync, readSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import { findProgram } from "../acp/process/find-program.ts";
import type { Mount } from "./mount.ts";
import { isInside } from "./path-inside.ts";

export interface Reach {
  /** Where programs are looked for. */
  readonly searchPath: string | undefined;
  /** What must not become visible with a folder around it. */
  readonly precious: readonly string[];
  /** What agents can write to: nothing found there is followed, since it leads where they like. */
  readonly theirs: readonly string[];
}

/** What a program needs besides the system: its folder or package, what it is written for, and what it is linked to. */
export function programMounts(command: readonly string[], reach: Reach): readonly Mount[] {
  const [program = "", ...args] = command;
  const files = args.filter((arg) => path.isAbsolute(arg) && isFile(arg));
  const [script, ...others] = files;
  return [
    ...around(program, reach),
    ...(script === undefined ? [] : around(script, reach)),
    ...others.filter((file) => !isTheirs(file, reach)).map(read),
  ];
}

/** Folders of programs, those that are inside the home too; not what lies in folders that are to be hidden. */
export function searchPathMounts({ searchPath = "", ...reach }: Reach): readonly Mount[] {
  const folders = searchPath
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder))
    .map((folder) => path.resolve(folder));
  return folders
    .flatMap((folder) => [folder, ...libraryOf(folder)])
    .filter((folder) => isFolder(folder) && mayShow(folder, reach) && !isTheirs(folder, reach))
    .map(read);
}

/** Of what is installed as `bin` and `lib` beside each other, such as Node's versions in a home. */
function libraryOf(folder: string): readonly string[] {
  const library = path.join(path.dirname(folder), "lib");
  return path.basename(folder) === "bin" && existsSync(path.join(library, "node_modules"))
    ? [library]
    : [];
}

function around(file: string, reach: Reach, depth = 0): readonly Mount[] {
  if (!path.isAbsolute(file) || !isFile(file) || isTheirs(file, reach)) return [];
  const real = realpathSync(file);
  const named = shown(path.dirname(file), { file, reach });
  if (isTheirs(real, reach)) return named;
  const interpreter = depth < 2 ? interpreterOf(real, reach) : null;
  const source = interpreter === null && !SCRIPT.test(real) ? [] : librariesOf(real, reach);
  return [
    ...named,
    ...shown(packageOf(real, reach), { file: real, reach }),
    ...source,
    ...(interpreter === null ? [] : around(interpreter, reach, depth + 1)),
  ];
}

const SCRIPT = /\.[cm]?[jt]s$/u;

/** The folder, or the file alone where the folder holds more than is meant. */
function shown(
  folder: string,
  { file, reach }: { readonly file: string; readonly reach: Reach },
): readonly Mount[] {
  return [read(mayShow(folder, reach) ? folder : file)];
}

function mayShow(folder: string, { precious }: Pick<Reach, "precious">): boolean {
  return folder !== "/" && !precious.some((one) => isInside(one, folder));
}

function isTheirs(file: string, { theirs }: Pick<Reach, "theirs">): boolean {
  return theirs.some((folder) => isInside(file, folder));
}

/** The nearest folder that is a package of Node's or an environment of Python's; otherwise that of the file. */
function packageOf(file: string, reach: Reach): string {
  const found = parentsOf(file).find(
    (folder) =>
      mayShow(folder, reach) &&
      MANIFESTS.some((manifest) => existsSync(path.join(folder, manifest))),
  );
  return found ?? path.dirname(file);
}

const MANIFESTS = ["package.json", "pyvenv.cfg"];

/** Where Node looks for what a script imports. */
function librariesOf(file: string, reach: Reach): readonly Mount[] {
  return parentsOf(file)
    .map((folder) =>
      path.basename(folder) === "node_modules" ? folder : path.join(folder, "node_modules"),
    )
    .filter((folder) => isFolder(folder) && mayShow(folder, reach))
    .map(read);
}

function parentsOf(file: string): readonly string[] {
  const parents: string[] = [];
  for (let folder = path.dirname(file); folder !== "/"; folder = path.dirname(folder)) {
    parents.push(folder);
  }
  return parents;
}

/** What the first line of a script names. */
function interpreterOf(file: string, { searchPath }: Reach): string | null {
  const [line = ""] = headOf(file).split("\n");
  const [, program = "", first = "", second = ""] =
    /^#!\s*(\S+)(?:\s+(\S+))?(?:\s+(\S+))?/u.exec(line) ?? [];
  if (path.basename(program) !== "env") return program === "" ? null : program;
  return findProgram(first === "-S" ? second : first, searchPath);
}

function headOf(file: string): string {
  const head = Buffer.alloc(256);
  try {
    const descriptor = openSync(file, "r");
    try {
      return head.toString("latin1", 0, readSync(descriptor, head));
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return "";
  }
}

function read(file: string): Mount {
  return { kind: "read", path: file };
}

function isFile(file: string): boolean {
  return kindOf(file) === "file";
}

function isFolder(file: string): boolean {
  return kindOf(file) === "folder";
}

function kindOf(file: string): "file" | "folder" | null {
  try {
    const found = statSync(file);
    if (found.isFile()) return "file";
    return found.isDirectory() ? "folder" : null;
  } catch {
    return null;
  }
}
