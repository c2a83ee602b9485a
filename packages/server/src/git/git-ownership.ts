import { execFile } from "node:child_process";
import { lstat } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { gitSettingsIn, gitVariables, type Environment } from "./git-variables.ts";
import { hardenedGitEnvironment } from "./hardened-git.ts";

/** User IDs whose repositories Git may use, besides those of the server's own user. */
export type GitOwners = "any" | readonly number[];

/**
 * Git refuses to work in a repository of another user, because its settings can name programs. These variables allow
 * exactly this repository, if its owners are trusted. Otherwise there are none.
 */
export async function ownershipVariables(
  folder: string,
  owners: GitOwners,
  environment: Environment,
): Promise<Environment> {
  const others = await otherOwnersOf(folder);
  if (others.length === 0 || !others.every((owner) => isTrusted(owner, owners))) return {};
  return gitVariables([...gitSettingsIn(environment), ["safe.directory", folder]]);
}

/** The owner because of whom Git refuses the repository; null if it does not. The user's own Git settings count too. */
export async function findRefusedOwner(
  folder: string,
  owners: GitOwners,
  environment: NodeJS.ProcessEnv,
): Promise<number | null> {
  const others = await otherOwnersOf(folder);
  const refused = others.find((owner) => !isTrusted(owner, owners));
  if (refused === undefined) return null;
  const env = await hardenedGitEnvironment(folder, environment).catch(() => null);
  if (env === null || (await canRead(folder, env))) return null;
  // Only if Git works with the exception, the owner is the reason.
  const settings = gitSettingsIn(env);
  const trusting = { ...env, ...gitVariables([...settings, ["safe.directory", folder]]) };
  return (await canRead(folder, trusting)) ? refused : null;
}

/** The owners of the folder and of its `.git`, except the user of this process. */
async function otherOwnersOf(folder: string): Promise<readonly number[]> {
  const self = process.geteuid?.();
  if (self === undefined) return [];
  const stats = await Promise.all(
    [folder, path.join(folder, ".git")].map((file) => lstat(file).catch(() => null)),
  );
  const owners = stats.flatMap((stat) => stat?.uid ?? []);
  return [...new Set(owners)].filter((owner) => owner !== self);
}

function isTrusted(owner: number, owners: GitOwners): boolean {
  return owners === "any" || owners.includes(owner);
}

async function canRead(cwd: string, env: Environment): Promise<boolean> {
  const reading = promisify(execFile)("git", ["rev-parse", "--git-dir"], {
    cwd,
    env,
    timeout: 10_000,
  });
  return reading.then(
    () => true,
    () => false,
  );
}
