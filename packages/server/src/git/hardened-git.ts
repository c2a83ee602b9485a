import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { gitSettingsIn, gitVariables, type Environment, type GitSetting } from "./git-variables.ts";

/**
 * The environment in which Git can read a repository that agents write to without running their programs. A repository
 * can name programs in many settings, and in files that these include.
 */
export async function hardenedGitEnvironment(
  cwd: string,
  environment: NodeJS.ProcessEnv,
): Promise<Environment> {
  const env = environmentWithoutFilters(environment);
  const settings = gitSettingsIn(env);
  const filters = await findFilters(cwd, env);
  const filterSettings = filters.flatMap((name): GitSetting[] => [
    [`filter.${name}.clean`, ""],
    [`filter.${name}.smudge`, ""],
    [`filter.${name}.process`, ""],
    [`filter.${name}.required`, "false"],
  ]);
  return { ...env, ...gitVariables([...settings, ...filterSettings]) };
}

/**
 * The same for commands that convert no files, and so run no filters. `settings`: more settings, which override those in all
 * files.
 */
export function environmentWithoutFilters(
  environment: NodeJS.ProcessEnv,
  settings: readonly GitSetting[] = [],
): Environment {
  // Repositories of other users that may be used are named in variables.
  const allowed = gitSettingsIn(environment).filter(([name]) => name === "safe.directory");
  return {
    ...withoutGitVariables(environment),
    ...(environment["PATH"] !== undefined && { PATH: absolutePath(environment["PATH"]) }),
    ...VARIABLES,
    ...gitVariables([...SETTINGS, ...allowed, ...settings]),
  };
}

const SETTINGS: readonly GitSetting[] = [
  ["core.fsmonitor", "false"],
  ["core.hooksPath", "/dev/null"],
  ["core.attributesFile", "/dev/null"],
  ["core.sshCommand", "false"],
  ["core.gitProxy", ""],
  ["core.askPass", ""],
  ["core.editor", "false"],
  ["core.pager", "cat"],
  ["core.alternateRefsCommand", "false"],
  ["credential.helper", ""],
  ["diff.external", ""],
  ["diff.ignoreSubmodules", "all"],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  ["log.showSignature", "false"],
  ["protocol.allow", "never"],
  ["submodule.recurse", "false"],
];

const VARIABLES: Environment = {
  // Git would fetch missing objects with a program that the repository names.
  GIT_NO_LAZY_FETCH: "1",
  GIT_ALLOW_PROTOCOL: "",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_TERMINAL_PROMPT: "0",
  GIT_PAGER: "cat",
  GIT_SSH_COMMAND: "false",
  GIT_ASKPASS: "false",
  GIT_EDITOR: "false",
};

/** Finds the names of all filters: Git has no setting that disables them together. */
async function findFilters(cwd: string, env: Environment): Promise<readonly string[]> {
  const args = ["config", "--null", "--name-only", "--get-regexp", "^filter\\."];
  try {
    const { stdout } = await promisify(execFile)("git", args, { cwd, env, timeout: 10_000 });
    const names = stdout.split("\0").map((line) => /^filter\.(.*)\.[^.]*$/su.exec(line)?.[1]);
    return [...new Set(names.flatMap((name) => name ?? []))];
  } catch (error) {
    // Code 1: no setting matches.
    if (error instanceof Error && "code" in error && error.code === 1) return [];
    throw error;
  }
}

/** The search path for programs without relative folders: Git works in a folder where agents could put a `git`. */
export function absolutePath(searched: string): string {
  const folders = searched.split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  return folders.join(path.delimiter);
}

/** Git's variables could select another repository or other programs. */
function withoutGitVariables(environment: NodeJS.ProcessEnv): Environment {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value === undefined || name.startsWith("GIT_") ? [] : [[name, value]],
    ),
  );
}
