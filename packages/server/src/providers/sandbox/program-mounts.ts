import { closeSync, existsSync, openSync, readSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import { findProgram } from "../acp/process/find-program.ts";
import { readMount, type Mount } from "./mount.ts";
import { isInside } from "./path-inside.ts";

export interface ProgramRules {
  readonly searchPath: string | undefined;
  /** A folder that contains one of these paths is not mounted. */
  readonly hidden: readonly string[];
  /** Agents can write here, so a path inside may lead anywhere and is not followed. */
  readonly writable: readonly string[];
}

/** The folder or package of a program, its interpreter, its libraries, and the files named in its arguments. */
export function programMounts(command: readonly string[], rules: ProgramRules): readonly Mount[] {
  const [program = "", ...args] = command;
  const files = args.filter((arg) => path.isAbsolute(arg) && isFile(arg));
  const [script, ...others] = files;
  return [
    ...mountsOfFile(program, rules),
    ...(script === undefined ? [] : mountsOfFile(script, rules)),
    ...others.filter((file) => !isWritable(file, rules)).map(readMount),
  ];
}

/** The folders of the search path, including those in the home folder. */
export function searchPathMounts({ searchPath = "", ...rules }: ProgramRules): readonly Mount[] {
  return searchPath
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder))
    .map((folder) => path.resolve(folder))
    .flatMap((folder) => [folder, ...libraryOf(folder)])
    .filter((folder) => isFolder(folder) && mayShow(folder, rules) && !isWritable(folder, rules))
    .map(readMount);
}

/** The `lib` folder beside a `bin` folder, for example of a Node version in the home folder. */
function libraryOf(folder: string): readonly string[] {
  const library = path.join(path.dirname(folder), "lib");
  return path.basename(folder) === "bin" && existsSync(path.join(library, "node_modules"))
    ? [library]
    : [];
}

function mountsOfFile(file: string, rules: ProgramRules, depth = 0): readonly Mount[] {
  if (!path.isAbsolute(file) || !isFile(file) || isWritable(file, rules)) return [];
  const real = realpathSync(file);
  const link = folderOrFile(path.dirname(file), file, rules);
  if (isWritable(real, rules)) return [link];
  const interpreter = depth < 2 ? interpreterOf(real, rules) : null;
  return [
    link,
    folderOrFile(packageOf(real, rules), real, rules),
    ...(interpreter === null && !SCRIPT.test(real) ? [] : librariesOf(real, rules)),
    ...(interpreter === null ? [] : mountsOfFile(interpreter, rules, depth + 1)),
  ];
}

const SCRIPT = /\.[cm]?[jt]s$/u;

/** The folder, or only the file if the folder contains hidden paths. */
function folderOrFile(folder: string, file: string, rules: ProgramRules): Mount {
  return readMount(mayShow(folder, rules) ? folder : file);
}

function mayShow(folder: string, { hidden }: Pick<ProgramRules, "hidden">): boolean {
  return folder !== "/" && !hidden.some((file) => isInside(file, folder));
}

function isWritable(file: string, { writable }: Pick<ProgramRules, "writable">): boolean {
  return writable.some((folder) => isInside(file, folder));
}

/** The nearest folder that is a Node package or a Python environment; otherwise the folder of the file. */
function packageOf(file: string, rules: ProgramRules): string {
  const root = parentsOf(file).find(
    (folder) =>
      mayShow(folder, rules) &&
      ["package.json", "pyvenv.cfg"].some((manifest) => existsSync(path.join(folder, manifest))),
  );
  return root ?? path.dirname(file);
}

/** The folders in which Node looks for the imports of a script. */
function librariesOf(file: string, rules: ProgramRules): readonly Mount[] {
  return parentsOf(file)
    .map((folder) =>
      path.basename(folder) === "node_modules" ? folder : path.join(folder, "node_modules"),
    )
    .filter((folder) => isFolder(folder) && mayShow(folder, rules))
    .map(readMount);
}

function parentsOf(file: string): readonly string[] {
  const parents: string[] = [];
  for (let folder = path.dirname(file); folder !== "/"; folder = path.dirname(folder)) {
    parents.push(folder);
  }
  return parents;
}

/** The program named in the first line of a script. */
function interpreterOf(file: string, { searchPath }: ProgramRules): string | null {
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

function isFile(file: string): boolean {
  try {
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

function isFolder(file: string): boolean {
  try {
    return statSync(file).isDirectory();
  } catch {
    return false;
  }
}
