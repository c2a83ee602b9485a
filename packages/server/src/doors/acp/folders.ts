import { realpath } from "node:fs/promises";
import path from "node:path";
import { HoldfastError, type Client } from "@holdfast/client";
import type { Repository, WholeSession } from "@holdfast/protocol";
import { invalidParams } from "./rpc-error.ts";

type Repositories = Pick<Client["repos"], "list" | "add">;

/** The repository that is the editor's folder. Adds it if the caller may; throws with what to do if it cannot be used. */
export async function openRepository(repos: Repositories, cwd: string): Promise<Repository> {
  const known = await findRepository(repos, cwd);
  if (known !== null) return known;
  try {
    return await repos.add({ path: cwd });
  } catch (error) {
    throw error instanceof HoldfastError ? await explain(repos, cwd, error) : error;
  }
}

/** The repository that is the folder; null if the server does not know it. */
export async function findRepository(
  repos: Pick<Repositories, "list">,
  cwd: string,
): Promise<Repository | null> {
  const names = await pathsOf(cwd);
  const { repos: known } = await repos.list();
  return known.find((repo) => names.includes(repo.path)) ?? null;
}

/** Throws if the session works in another folder than the editor. */
export async function requireSameFolder(
  { repo, worktree }: Pick<WholeSession, "repo" | "worktree">,
  cwd: string,
): Promise<void> {
  const names = await pathsOf(cwd);
  if (repo === null || names.includes(repo.path)) return;
  if (worktree !== null && names.includes(worktree.path)) return;
  throw invalidParams(
    `This session works in ${repo.path}, not in ${cwd}. Open ${repo.path} in the editor to continue it.`,
  );
}

/** The folder as the editor names it, and without symbolic links. */
async function pathsOf(cwd: string): Promise<readonly string[]> {
  if (!path.isAbsolute(cwd))
    throw invalidParams(`cwd must be an absolute path, not ${JSON.stringify(cwd)}.`);
  const folder = path.resolve(cwd);
  const real = await realpath(folder).catch(() => folder);
  return [folder, real];
}

async function explain(
  repos: Pick<Repositories, "list">,
  cwd: string,
  error: HoldfastError,
): Promise<Error> {
  switch (error.code) {
    case "not_a_repository": {
      const names = await pathsOf(cwd);
      const { repos: known } = await repos.list();
      const around = known.find((repo) =>
        names.some((name) => name.startsWith(`${repo.path}${path.sep}`)),
      );
      return invalidParams(
        around === undefined
          ? `${error.detail} Holdfast works in Git repositories. Run "git init" in the folder, or open a repository in the editor.`
          : `${cwd} is a folder inside the repository ${around.path}. Open ${around.path} in the editor.`,
      );
    }
    case "forbidden":
      return invalidParams(
        `The server does not know the repository ${cwd}, and this token may not add one. ` +
          `Let somebody with the scope admin run: holdfast repos add ${cwd}`,
      );
    default:
      return error;
  }
}
