import { createHash } from "node:crypto";
import { lstat, mkdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { findGitFolders, type GitFolders } from "./find-git-folders.ts";
import { GitFault } from "./git-fault.ts";
import type { Environment } from "./git-variables.ts";
import { environmentWithoutFilters } from "./hardened-git.ts";
import { runProgram, type Enclose, type Output, type RunOptions } from "./program/run-program.ts";

/**
 * A Git folder of our own beside that of a repository. It uses the objects of the repository and its working files, but
 * has its own settings and its own index. So no setting of the repository can name a program, and the user's index, stash
 * and branches stay as they are.
 */
export interface OwnGitFolder {
  readonly folders: GitFolders;
  /** Where it is. */
  readonly path: string;
  readonly index: string;
  /** Whether settings of the user name filters, which convert files. Here they do not run. */
  readonly hasFilters: boolean;
  /** Runs Git on our own folder. Throws a `GitFault` unless it exits with 0 or one of `codes`. */
  git(args: readonly string[], options?: OwnGitOptions): Promise<Output>;
  /** Runs a script of the shell there. `args` are its parameters. */
  shell(script: string, args: readonly string[], options?: OwnGitOptions): Promise<Output>;
  /** Runs Git on the repository's own Git folder. It converts no files and runs nothing that the repository names. */
  repositoryGit(args: readonly string[], options?: OwnGitOptions): Promise<Output>;
}

export interface OwnGitOptions extends RunOptions {
  readonly index?: string;
  readonly codes?: readonly number[];
  /** Whether it writes working files. */
  readonly writesFiles?: boolean;
  /** Further folders that it writes. */
  readonly writes?: readonly string[];
  /** Further variables. */
  readonly env?: Environment;
}

export interface GitOptions {
  /** The folder for what Holdfast keeps about repositories. */
  readonly dataFolder: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly enclose?: Enclose;
}

/** Throws a `GitFault` if there is no repository with which Git can work. */
export async function openOwnGitFolder(
  folder: string,
  { dataFolder, environment, enclose = (program) => program }: GitOptions,
): Promise<OwnGitFolder> {
  const folders = await findGitFolders(folder);
  if (typeof folders === "string") throw new GitFault(`Git cannot be used here: ${folders}.`);
  const own = ownFolderOf(folder, dataFolder);
  const { common } = folders;
  const repositoryEnv = {
    ...environmentWithoutFilters(environment, [["core.logAllRefUpdates", "false"]]),
    GIT_DIR: folders.own,
    GIT_COMMON_DIR: common,
    LC_ALL: "C",
  };
  const run = async (
    command: readonly [string, ...string[]],
    env: Environment,
    { codes = [0], writesFiles = false, writes: more = [], env: given, ...options }: OwnGitOptions,
  ): Promise<Output> => {
    const writes = [own, common, ...(writesFiles ? [folder] : []), ...more];
    const program = enclose({
      command,
      cwd: folder,
      env: { ...env, ...given },
      writes,
      reads: [folder],
    });
    const output = await runProgram(program, options);
    if (output.ended === null && !codes.includes(output.code ?? -1)) throw faultOf(command, output);
    return output;
  };
  // A sandbox shows only folders that exist.
  await mkdir(own, { recursive: true, mode: 0o700 });
  const settings = await readSettings(() =>
    run(["git", "config", "--list", "--null", "--show-scope"], repositoryEnv, {}),
  );
  await prepare(own, folders, settings, environment);
  const index = path.join(own, "index");
  const env = {
    PATH: environment["PATH"] ?? "",
    HOME: own,
    LC_ALL: "C",
    GIT_DIR: own,
    GIT_WORK_TREE: folder,
    GIT_OBJECT_DIRECTORY: path.join(common, "objects"),
    // Where the history of a clone with a limited depth ends.
    GIT_SHALLOW_FILE: path.join(common, "shallow"),
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_SYSTEM: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_LITERAL_PATHSPECS: "1",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_TERMINAL_PROMPT: "0",
  };
  return {
    folders,
    path: own,
    index,
    hasFilters: settings.some(([name]) => name.startsWith("filter.")),
    git: (args, { index: other = index, ...options } = {}) =>
      run(["git", ...args], { ...env, GIT_INDEX_FILE: other }, options),
    shell: (script, args, { index: other = index, ...options } = {}) =>
      run(["sh", "-c", script, "sh", ...args], { ...env, GIT_INDEX_FILE: other }, options),
    repositoryGit: (args, options = {}) => run(["git", ...args], repositoryEnv, options),
  };
}

/** Where our own Git folder of a working folder is. */
export function ownFolderOf(folder: string, dataFolder: string): string {
  return path.join(dataFolder, createHash("sha256").update(folder).digest("hex").slice(0, 32));
}

function faultOf([program, ...args]: readonly string[], output: Output): GitFault {
  const detail = output.stderr.trim();
  const [line = ""] = detail.split("\n");
  const name = program === "git" ? `git ${args[0]}` : "git";
  return new GitFault(
    `${name} failed${line === "" ? ` with code ${output.code ?? "none"}` : `: ${line}`}`,
    { detail },
  );
}

type Setting = readonly [name: string, value: string];

/** Settings that decide how files are read and written. None of them can name a program. */
const COPIED: ReadonlySet<string> = new Set([
  "core.autocrlf",
  "core.bigfilethreshold",
  "core.eol",
  "core.filemode",
  "core.ignorecase",
  "core.precomposeunicode",
  "core.protecthfs",
  "core.protectntfs",
  "core.sharedrepository",
  "core.symlinks",
  "core.trustctime",
  "core.checkstat",
  "extensions.objectformat",
]);

/** The settings of the repository and the user, without those that we give to Git ourselves. */
async function readSettings(list: () => Promise<Output>): Promise<readonly Setting[]> {
  const { stdout } = await list();
  const fields = stdout.toString("utf8").split("\0");
  const settings: Setting[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [scope, setting = ""] = [fields[at], fields[at + 1]];
    const end = setting.indexOf("\n");
    if (scope === "command") continue;
    settings.push(end < 0 ? [setting, "true"] : [setting.slice(0, end), setting.slice(end + 1)]);
  }
  return settings;
}

async function prepare(
  own: string,
  { common }: GitFolders,
  settings: readonly Setting[],
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  await mkdir(path.join(own, "refs"), { recursive: true, mode: 0o700 });
  await mkdir(path.join(own, "info"), { recursive: true, mode: 0o700 });
  const valueOf = (name: string): string | undefined =>
    settings.findLast(([each]) => each === name)?.[1];
  const home = environment["HOME"] ?? "/";
  const config = environment["XDG_CONFIG_HOME"] ?? path.join(home, ".config");
  const userFile = (name: string, standard: string): string => {
    const file = valueOf(name) ?? path.join(config, "git", standard);
    return path.resolve(home, file.replace(/^~\//u, ""));
  };
  const copied = [...COPIED].flatMap((name): Setting[] => {
    const value = valueOf(name);
    return value === undefined ? [] : [[name, value]];
  });
  await Promise.all([
    put(path.join(own, "HEAD"), "ref: refs/heads/none\n"),
    put(path.join(own, "config"), configFile(own, copied)),
    put(
      path.join(own, "info", "exclude"),
      await readPlainRules(path.join(common, "info", "exclude")),
    ),
    put(
      path.join(own, "info", "attributes"),
      await readPlainRules(path.join(common, "info", "attributes")),
    ),
    put(path.join(own, "ignore"), await readRules(userFile("core.excludesfile", "ignore"))),
    put(
      path.join(own, "attributes"),
      await readRules(userFile("core.attributesfile", "attributes")),
    ),
  ]);
}

function configFile(own: string, copied: readonly Setting[]): string {
  const quoted = (value: string): string =>
    `"${value.replaceAll(/["\\]/gu, (each) => `\\${each}`).replaceAll("\n", "\\n")}"`;
  const all: readonly Setting[] = [
    ["core.repositoryformatversion", "1"],
    ["core.bare", "false"],
    ["core.excludesfile", path.join(own, "ignore")],
    ["core.attributesfile", path.join(own, "attributes")],
    ["core.safecrlf", "false"],
    ["core.quotepath", "false"],
    ["core.fsmonitor", "false"],
    ["core.preloadindex", "true"],
    ["index.version", "4"],
    ["gc.auto", "0"],
    ["diff.renamelimit", "1000"],
    ...copied,
  ];
  return all
    .map(([name, value]) => {
      const dot = name.indexOf(".");
      return `[${name.slice(0, dot)}]\n\t${name.slice(dot + 1)} = ${quoted(value)}\n`;
    })
    .join("");
}

const MAX_RULES = 1024 * 1024;

/** A file of the repository with rules. Agents may have made it a link, which is not followed. Empty if there is none. */
async function readPlainRules(file: string): Promise<string> {
  return (await lstat(file).catch(() => null))?.isFile() === true ? readRules(file) : "";
}

/** A file of the user with rules, which may be a link. Empty if there is none. */
async function readRules(file: string): Promise<string> {
  const stats = await stat(file).catch(() => null);
  if (stats === null || stats.size > MAX_RULES || !stats.isFile()) return "";
  return readFile(file, "utf8").catch(() => "");
}

/** Writes only what differs, and never a part of it. */
async function put(file: string, text: string): Promise<void> {
  if ((await readFile(file, "utf8").catch(() => null)) === text) return;
  const draft = `${file}.${process.pid}.${Math.random().toString(36).slice(2)}`;
  await writeFile(draft, text, { mode: 0o600 });
  await rename(draft, file);
}
