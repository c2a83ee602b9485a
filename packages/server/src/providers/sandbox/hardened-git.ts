import { execFile } from "node:child_process";
import { promisify } from "node:util";

export interface GitCall {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/**
 * How to run Git in a repository that agents write, so that it runs nothing of theirs: a repository can name programs
 * for many occasions, in its settings and in what these include. Meant for commands that read; `args` begins with one.
 */
export async function hardenedGit(
  args: readonly string[],
  { cwd, environment }: { readonly cwd: string; readonly environment: NodeJS.ProcessEnv },
): Promise<GitCall> {
  const env = { ...inherited(environment), ...VARIABLES };
  const filters = await filtersOf({ cwd, env: { ...env, ...settingsFor(SETTINGS) } });
  const settings = [
    ...SETTINGS,
    ...filters.flatMap((name): Setting[] => [
      [`filter.${name}.clean`, ""],
      [`filter.${name}.smudge`, ""],
      [`filter.${name}.process`, ""],
      [`filter.${name}.required`, "false"],
    ]),
  ];
  return { args, env: { ...env, ...settingsFor(settings) } };
}

type Setting = readonly [name: string, value: string];

/** Stronger than what any file says. */
const SETTINGS: readonly Setting[] = [
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

const VARIABLES: Readonly<Record<string, string>> = {
  // Objects that are missing would be fetched by a program that the repository names.
  GIT_NO_LAZY_FETCH: "1",
  GIT_ALLOW_PROTOCOL: "",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_TERMINAL_PROMPT: "0",
  GIT_PAGER: "cat",
  GIT_SSH_COMMAND: "false",
  GIT_ASKPASS: "false",
  GIT_EDITOR: "false",
};

/** In variables rather than arguments: there, a name could end early. */
function settingsFor(settings: readonly Setting[]): Record<string, string> {
  const pairs = settings.flatMap(([name, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, name],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return { ...Object.fromEntries(pairs), GIT_CONFIG_COUNT: String(settings.length) };
}

/** Filters cannot be turned off together, only by their names. */
async function filtersOf({
  cwd,
  env,
}: {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}): Promise<readonly string[]> {
  const args = ["config", "--null", "--name-only", "--get-regexp", "^filter\\."];
  try {
    const { stdout } = await promisify(execFile)("git", args, { cwd, env, timeout: 10_000 });
    const names = stdout.split("\0").map((line) => /^filter\.(.*)\.[^.]*$/su.exec(line)?.[1]);
    return [...new Set(names.flatMap((name) => name ?? []))];
  } catch (error) {
    // There are none.
    if (error instanceof Error && "code" in error && error.code === 1) return [];
    throw error;
  }
}

/** Without what would lead Git to other places, or put other programs in its place. */
function inherited(environment: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value === undefined || name.startsWith("GIT_") ? [] : [[name, value]],
    ),
  );
}
