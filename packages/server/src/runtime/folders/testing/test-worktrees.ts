import { mkdirSync, realpathSync } from "node:fs";
import path from "node:path";
import { createKeepGit } from "../../../git/keep/keep-git.ts";
import type { KeepOptions } from "../../keep/session-keeping.ts";
import { createWorktreeGit } from "../../../git/worktree/worktree-git.ts";
import { createRunCommand } from "../../../providers/sandbox/run-command.ts";
import { openSandbox } from "../../../providers/sandbox/sandbox.ts";
import { openSecrets } from "../../../providers/secrets/secrets.ts";
import { openWorkspaceRoot } from "../../repositories/workspace-root.ts";
import { FOLDER_SETTINGS, type FolderSettings } from "../folder-settings.ts";
import type { FolderOptions } from "../session-folders.ts";

export function testKeep(folder: string, settings: Partial<FolderSettings>): KeepOptions {
  return {
    git: createKeepGit({
      dataFolder: path.join(folder, "git"),
      environment: process.env,
      enclose: (program) => program,
    }),
    settingsOf: () => ({ ...FOLDER_SETTINGS, ...settings }),
  };
}

/** Worktrees in a folder of a test. Commands run without a sandbox. */
export function testWorktrees(
  folder: string,
  settings: Partial<FolderSettings>,
): Omit<FolderOptions, "store" | "openWorkspace" | "log"> {
  const worktrees = path.join(folder, "worktrees");
  mkdirSync(worktrees, { recursive: true });
  const root = openWorkspaceRoot(worktrees, { onViolation: () => {} });
  return {
    git: createWorktreeGit({ dataFolder: path.join(folder, "git"), environment: process.env }),
    runCommand: async (request) => {
      const sandbox = await openSandbox({
        mode: "off",
        environment: process.env,
        dataFolder: path.join(folder, "data"),
      });
      const secrets = openSecrets();
      const run = createRunCommand({
        sandbox,
        secrets,
        environment: process.env,
        owner: path.basename(folder),
      });
      return run(request);
    },
    settingsOf: () => ({ ...FOLDER_SETTINGS, ...settings }),
    worktreesOf: async () => realpathSync(worktrees),
    openWorktree: async (each) => (await root).open(each),
  };
}
