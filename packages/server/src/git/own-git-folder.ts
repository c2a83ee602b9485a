import { createHash } from "node:crypto";
import { lstat, mkdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { newDraft, removeOldDrafts } from "./drafts.ts";
import { findGitFolders, type GitFolders } from "./find-git-folders.ts";
import { asGitFault, GitFault } from "./git-fault.ts";
import { gitVariables, type Environment } from "./git-variables.ts";
import { absolutePath, environmentWithoutFilters } from "./hardened-git.ts";
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
  /** See `stampOf`: of the time before the settings were read. */
  readonly stamp: string;
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
  /** Writes only the changed entries of the index, beside a file with the others: many times faster in a large repository. */
  readonly splitsIndex?: boolean;
  readonly codes?: readonly number[];
  /** Whether it writes working files. */
  readonly writesFiles?: boolean;
  /** Whether the caller can do with the beginning of the output. Otherwise too much of it is a `GitFault`. */
  readonly mayBeCut?: boolean;
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
  /** How long one command of Git may take (default 5 minutes; those that read no working files, at most 30 seconds). */
  readonly timeoutMs?: number;
}

/** Throws a `GitFault` if there is no repository with which Git can work. */
export async function openOwnGitFolder(
  folder: string,
  { dataFolder, environment, enclose = (program) => program, timeoutMs = 5 * 60_000 }: GitOptions,
): Promise<OwnGitFolder> {
  const folders = await findGitFolders(folder);
  if (typeof folders === "string") throw new GitFault(`Git cannot be used here: ${folders}.`);
  const own = ownFolderOf(folder, dataFolder);
  const { common } = folders;
  const shortMs = Math.min(SHORT_MS, timeoutMs);
  const stamp = await stampOf(folder, common);
  const repositoryEnv = {
    ...environmentWithoutFilters(environment, [["core.logAllRefUpdates", "false"]]),
    GIT_DIR: folders.own,
    GIT_COMMON_DIR: common,
    // Otherwise a setting could name another folder.
    GIT_WORK_TREE: folder,
    LC_ALL: "C",
  };
  const run = async (
    command: readonly [string, ...string[]],
    env: Environment,
    options: OwnGitOptions,
  ): Promise<Output> => {
    const { codes = [0], writesFiles = false, mayBeCut = false, env: given, ...rest } = options;
    const { writes: more = [], ...running } = rest;
    const writes = [own, common, ...(writesFiles ? [folder] : []), ...more];
    const all = { ...env, ...given };
    const program = enclose({ command, cwd: folder, env: all, writes, reads: [folder] });
    const output = await runProgram(program, { timeoutMs, ...running }).catch((error: unknown) => {
      throw asGitFault(error);
    });
    const isWhole = output.ended === null && codes.includes(output.code ?? -1);
    if (isWhole || (output.ended === "too_long" && mayBeCut)) return output;
    throw faultOf(command, output);
  };
  // A sandbox shows only folders that exist.
  await mkdir(own, { recursive: true, mode: 0o700 });
  const settings = await readSettings(() =>
    run(["git", "config", "--list", "--null", "--show-scope"], repositoryEnv, {
      timeoutMs: shortMs,
    }),
  );
  await prepare(own, folders, settings, environment);
  const index = path.join(own, "index");
  const env = {
    PATH: absolutePath(environment["PATH"] ?? ""),
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
    stamp,
    hasFilters: settings.some(([name]) => name.startsWith("filter.")),
    git: (args, { index: other = index, splitsIndex = false, ...options } = {}) => {
      const variables = { ...env, GIT_INDEX_FILE: other, ...(splitsIndex && SPLIT_INDEX) };
      return run(["git", ...args], variables, options);
    },
    shell: (script, args, { index: other = index, ...options } = {}) =>
      run(["sh", "-c", script, "sh", ...args], { ...env, GIT_INDEX_FILE: other }, options),
    repositoryGit: (args, options = {}) =>
      run(["git", ...args], repositoryEnv, { timeoutMs: shortMs, ...options }),
  };
}

const SPLIT_INDEX = gitVariables([
  ["core.splitIndex", "true"],
  // Git removes those that were not used for so long.
  ["splitIndex.sharedIndexExpire", "1.day.ago"],
]);

/** For commands that read no working files. Agents could make them wait for ever, with a pipe in the place of a file. */
const SHORT_MS = 30_000;

/** Changes when the repository gets another Git folder, other settings or other rules. */
export async function stampOf(folder: string, common: string): Promise<string> {
  const names = ["config", "config.worktree", "info/exclude", "info/attributes"];
  const files = [path.join(folder, ".git"), ...names.map((name) => path.join(common, name))];
  const stats = await Promise.all(files.map((file) => lstat(file).catch(() => null)));
  // The times of a folder change with every command of Git.
  return stats
    .map((each) => (each?.isFile() ? `${each.ino}:${each.size}:${each.ctimeMs}` : each?.ino))
    .join();
}

/** Where our own Git folder of a working folder is. */
export function ownFolderOf(folder: string, dataFolder: string): string {
  return path.join(dataFolder, createHash("sha256").update(folder).digest("hex").slice(0, 32));
}

function faultOf([program, ...args]: readonly string[], { ended, code, stderr }: Output): GitFault {
  const name = program === "git" ? `git ${args[0]}` : "git";
  if (ended !== null) return new GitFault(`${name} ${ENDED[ended]}`, { isLasting: true });
  const detail = stderr.trim();
  if (MISSING.test(detail))
    return new GitFault("A snapshot, or a part of it, is no longer kept in the repository.", {
      detail,
    });
  const [line = ""] = detail.split("\n");
  return new GitFault(
    `${name} failed${line === "" ? ` with code ${code ?? "none"}` : `: ${line}`}`,
    {
      detail,
    },
  );
}

const ENDED: Readonly<Record<Exclude<Output["ended"], null>, string>> = {
  too_long: "wrote more than can be read",
  timeout: "took too long",
  aborted: "was stopped",
};

/** What Git says about objects that its garbage collection has removed. */
const MISSING =
  /bad object|unable to read|unable to find|invalid object|not a tree object|failed to unpack tree|nonexistent object|could not get object info/u;

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
  const config = environment["XDG_CONFIG_HOME"] || path.join(home, ".config");
  const userFile = (name: string, standard: string): string => {
    const file = valueOf(name) ?? path.join(config, "git", standard);
    return path.resolve(home, file.replace(/^~\//u, ""));
  };
  const copied = [...COPIED].flatMap((name): Setting[] => {
    const value = valueOf(name);
    return value === undefined ? [] : [[name, value]];
  });
  const rulesOf = (name: string): Promise<string> => readPlainRules(path.join(common, name));
  await Promise.all([
    removeOldDrafts(own),
    put(own, "HEAD", "ref: refs/heads/none\n"),
    put(own, "config", configFile(own, copied)),
    put(own, "info/exclude", await rulesOf("info/exclude")),
    put(own, "info/attributes", await rulesOf("info/attributes")),
    put(own, "ignore", await readRules(userFile("core.excludesfile", "ignore"))),
    put(own, "attributes", await readRules(userFile("core.attributesfile", "attributes"))),
  ]);
}

function configFile(own: string, copied: readonly Setting[]): string {
  const quoted = (value: string): string =>
    `"${value.replaceAll(/["\\]/gu, (each) => `\\${each}`).replaceAll("\n", "\\n")}"`;
  const all: readonly Setting[] = [
    ["core.repositoryformatversion", "1"],
    ["core.bare", "false"],
    ["core.excludesfile", Buffer.from(path.join(own, "ignore")).toString("latin1")],
    ["core.attributesfile", Buffer.from(path.join(own, "attributes")).toString("latin1")],
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
  return readFile(file, "latin1").catch(() => "");
}

/** Writes only what differs, and never a part of it. One character is one byte: rules need not be UTF-8. */
async function put(own: string, name: string, text: string): Promise<void> {
  const file = path.join(own, name);
  if ((await readFile(file, "latin1").catch(() => null)) === text) return;
  const draft = path.join(own, newDraft());
  await writeFile(draft, text, { mode: 0o600, encoding: "latin1" });
  await rename(draft, file);
}
