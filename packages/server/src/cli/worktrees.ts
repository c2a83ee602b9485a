import { mkdir, realpath } from "node:fs/promises";
import path from "node:path";
import { GitFault } from "../git/git-fault.ts";
import type { GitOptions } from "../git/own-git-folder.ts";
import { createKeepGit } from "../git/keep/keep-git.ts";
import type { FolderSettings } from "../runtime/folders/folder-settings.ts";
import type { KeepOptions } from "../runtime/keep/session-keeping.ts";
import { createWorktreeGit } from "../git/worktree/worktree-git.ts";
import { createRunCommand } from "../providers/sandbox/run-command.ts";
import type { Sandbox } from "../providers/sandbox/sandbox.ts";
import { isInside } from "../providers/sandbox/path-inside.ts";
import type { Secrets } from "../providers/secrets/secrets.ts";
import type { FolderOptions } from "../runtime/folders/session-folders.ts";
import { openWorkspaceRoot, type WorkspaceRoot } from "../runtime/repositories/workspace-root.ts";
import type { Repo } from "../storage/store.ts";
import { ownerOf } from "./catalog.ts";
import type { ServeSettings } from "./settings/settings.ts";

/** How Git is used in repositories. Without a sandbox, as a command uses it. */
export function gitOptions(
  { dataFolder }: Pick<ServeSettings, "dataFolder">,
  sandbox: Sandbox | null,
): GitOptions {
  return {
    dataFolder: path.join(dataFolder, "git"),
    environment: process.env,
    ...(sandbox !== null && { enclose: sandbox.encloseProgram }),
  };
}

/** How the work of sessions is kept, as the settings say. */
export function keepOf(settings: ServeSettings, sandbox: Sandbox | null): KeepOptions {
  return {
    git: createKeepGit(gitOptions(settings, sandbox)),
    settingsOf: (repo) => settingsFor(settings, repo),
  };
}

function settingsFor({ worktrees }: ServeSettings, { path: folder, name }: Repo): FolderSettings {
  const { repositories } = worktrees;
  return repositories.get(folder) ?? repositories.get(name) ?? worktrees;
}

/** How sessions get worktrees, as the settings say. Commands of the configuration run only where there is a sandbox. */
export function worktreesOf(
  settings: ServeSettings,
  root: () => Promise<WorkspaceRoot>,
  forCommands: { readonly sandbox: Sandbox; readonly secrets: Secrets } | null,
): Omit<FolderOptions, "store" | "openWorkspace" | "log"> {
  const { dataFolder, worktrees } = settings;
  const own = path.join(dataFolder, "worktrees");
  let opened: Promise<WorkspaceRoot> | null = null;
  const ownRoot = (): Promise<WorkspaceRoot> =>
    (opened ??= mkdir(own, { recursive: true, mode: 0o700 }).then(() =>
      openWorkspaceRoot(own, { onViolation: () => {} }),
    ));
  return {
    git: createWorktreeGit(gitOptions(settings, forCommands?.sandbox ?? null)),
    runCommand:
      forCommands === null
        ? null
        : createRunCommand({
            ...forCommands,
            environment: process.env,
            owner: ownerOf(dataFolder),
          }),
    settingsOf: (repo) => settingsFor(settings, repo),
    worktreesOf: async (repo) =>
      worktrees.folder === "data" ? (await ownRoot()).root : besideOf(repo, await root()),
    openWorktree: async (folder) => {
      const inOwn = await ownRoot();
      return (isInside(folder, inOwn.root) ? inOwn : await root()).open(folder);
    },
  };
}

async function besideOf({ path: folder }: Repo, { root }: WorkspaceRoot): Promise<string> {
  const beside = path.join(path.dirname(folder), `${path.basename(folder)}.worktrees`);
  if (!isInside(beside, root))
    throw new GitFault(`The folder ${beside} for worktrees is outside the workspace root ${root}.`);
  await mkdir(beside, { recursive: true });
  const real = await realpath(beside);
  if (!isInside(real, root))
    throw new GitFault(`The folder ${beside} for worktrees leads out of the workspace root.`);
  return real;
}
