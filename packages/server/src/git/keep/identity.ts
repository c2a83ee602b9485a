import { GitFault } from "../git-fault.ts";
import type { Environment } from "../git-variables.ts";
import { environmentWithoutFilters } from "../hardened-git.ts";
import type { GitOptions, OwnGitFolder } from "../own-git-folder.ts";
import { runProgram } from "../program/run-program.ts";

export interface Person {
  readonly name: string;
  readonly email: string;
}

/**
 * The variables that make the user the author and the committer, as Git's settings name the user. They are read outside of the
 * sandbox, where the files are that those settings may include. Throws a `GitFault` if they name nobody.
 */
export async function identityVariables(
  own: OwnGitFolder,
  { environment }: GitOptions,
  author: Person | null = null,
): Promise<Environment> {
  const read = async (name: "GIT_AUTHOR_IDENT" | "GIT_COMMITTER_IDENT"): Promise<Person> => {
    const env = environmentWithoutFilters(environment, [["user.useConfigOnly", "true"]]);
    const { folder, own: gitFolder, common } = own.folders;
    const output = await runProgram(
      {
        command: ["git", "var", name],
        cwd: folder,
        env: { ...env, GIT_DIR: gitFolder, GIT_COMMON_DIR: common, LC_ALL: "C" },
        writes: [],
      },
      { timeoutMs: TIMEOUT_MS },
    );
    const person = /^(.*) <(.*)> \d+ [+-]\d+$/u.exec(output.stdout.toString("utf8").trim());
    if (output.code === 0 && person !== null)
      return { name: person[1] ?? "", email: person[2] ?? "" };
    throw new GitFault(
      "Git does not know who you are. Set your name and address with `git config --global user.name` and `user.email`.",
      { detail: output.stderr.trim() },
    );
  };
  const committer = await read("GIT_COMMITTER_IDENT");
  const { name, email } = author ?? (await read("GIT_AUTHOR_IDENT"));
  if (author !== null && /[<>\n\0]/u.test(`${name}${email}`))
    throw new GitFault(
      "The name or the address of the author contains characters that Git cannot keep.",
    );
  return {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: committer.name,
    GIT_COMMITTER_EMAIL: committer.email,
  };
}

const TIMEOUT_MS = 10_000;
