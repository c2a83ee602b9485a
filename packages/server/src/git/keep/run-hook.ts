import { lstat } from "node:fs/promises";
import path from "node:path";
import { GitFault } from "../git-fault.ts";
import { environmentWithoutFilters } from "../hardened-git.ts";
import type { GitOptions, OwnGitFolder } from "../own-git-folder.ts";
import { runProgram } from "../program/run-program.ts";

export interface HookRequest {
  readonly name: "pre-commit" | "prepare-commit-msg" | "commit-msg" | "post-commit";
  readonly args: readonly string[];
  /** The index that it sees, and may change. */
  readonly index: string;
}

export interface HookOutput {
  readonly ok: boolean;
  /** What it wrote. The end of it. */
  readonly output: string;
}

const MAX_OUTPUT = 64 * 1024;
const TIMEOUT_MS = 10 * 60_000;

/** The server's variables that a hook gets. Others may be secrets. */
const VARIABLES = /^(?:PATH|HOME|USER|LOGNAME|LANG|LC_\w+|TZ|XDG_CONFIG_HOME)$/u;

/** Runs a hook of the repository, if it has one, in the sandbox. Throws a `GitFault` without one. */
export async function runHook(
  own: OwnGitFolder,
  { name, args, index }: HookRequest,
  { environment, enclose }: GitOptions,
): Promise<HookOutput> {
  const { folder, own: gitFolder, common } = own.folders;
  const hooks = await findHooksPath(own);
  if (enclose === undefined) {
    if (await hasFile(path.resolve(folder, hooks ?? `${common}/hooks`, name)))
      throw new GitFault("The hooks of a repository run only in a sandbox, and there is none.");
    return { ok: true, output: "" };
  }
  const chosen = Object.entries(environment).filter(([each]) => VARIABLES.test(each));
  const program = enclose({
    // What is given as an argument overrides the variables, which turn off all hooks.
    command: [
      "git",
      "-c",
      `core.hooksPath=${hooks ?? `${common}/hooks`}`,
      "hook",
      "run",
      "--ignore-missing",
      name,
      "--",
      ...args,
    ],
    cwd: folder,
    env: {
      ...environmentWithoutFilters(Object.fromEntries(chosen)),
      GIT_DIR: gitFolder,
      GIT_COMMON_DIR: common,
      GIT_WORK_TREE: folder,
      GIT_INDEX_FILE: index,
      GIT_EDITOR: ":",
    },
    writes: [own.path, common, folder],
    runsCodeOfRepository: true,
  });
  let output = Buffer.alloc(0);
  const { code, ended } = await runProgram(program, {
    timeoutMs: TIMEOUT_MS,
    onOutput: (bytes) => {
      output = Buffer.concat([output, bytes]).subarray(-MAX_OUTPUT);
    },
  });
  const note = ended === "timeout" ? "\nIt took too long, and was ended.\n" : "";
  return { ok: code === 0 && ended === null, output: `${output.toString("utf8")}${note}` };
}

async function hasFile(file: string): Promise<boolean> {
  return (await lstat(file).catch(() => null)) !== null;
}

/** The setting of the user or the repository; null if there is none. Ours, which overrides both, does not count. */
async function findHooksPath(own: OwnGitFolder): Promise<string | null> {
  const { stdout } = await own.repositoryGit(["config", "--list", "--null", "--show-scope"]);
  const fields = stdout.toString("utf8").split("\0");
  let found: string | null = null;
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [name, value = ""] = (fields[at + 1] ?? "").split("\n", 2);
    if (fields[at] !== "command" && name === "core.hookspath") found = value;
  }
  return found;
}
