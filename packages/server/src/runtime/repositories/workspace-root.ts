import { realpath } from "node:fs/promises";
import path from "node:path";
import type { OpenWorkspace } from "../context.ts";
import { nearestReal } from "./nearest-real.ts";
import { openFolder, type FolderProof } from "./open-folder.ts";

/** The folder that all repositories are in, `AGENT_WORKSPACE_ROOT`. */
export interface WorkspaceRoot {
  /** Without any symbolic link in it. */
  readonly root: string;
  /** The real path of a repository's folder. */
  resolve(asked: string): Promise<{ readonly ok: true; readonly path: string } | WorkspaceRefused>;
  /** The same, held open: whatever happens to the path, an agent started in it is where was looked. */
  open(asked: string): Promise<Opened>;
}

export type Opened = { readonly ok: true; readonly workspace: OpenWorkspace } | WorkspaceRefused;

export interface WorkspaceRefused {
  readonly ok: false;
  readonly refused: "path_outside_root" | "path_not_found" | "not_a_repository";
  /** Names the path that was asked for, and nothing of what it leads to. */
  readonly message: string;
}

/** Somebody asked for what is not theirs to have. For the log: it also says what they would have had. */
export interface Violation {
  readonly path: string;
  readonly root: string;
  readonly reason: "nul_byte" | "outside_root" | "leads_outside" | "changed_while_opened";
  readonly leadsTo: string | null;
}

export interface RootOptions {
  readonly onViolation: (violation: Violation) => void;
  /** How it is made sure what a descriptor is of; what the system offers unless a test says otherwise. */
  readonly proof?: FolderProof;
}

/** Throws when the root itself is not a folder that can be opened. */
export async function openWorkspaceRoot(
  folder: string,
  { onViolation, proof = process.platform === "linux" ? "descriptor" : "comparison" }: RootOptions,
): Promise<WorkspaceRoot> {
  const given = path.resolve(folder);
  const root = await realpath(given);
  const self = await openFolder(root, { proof });
  if (!self.ok) throw new Error(`The workspace root ${folder} cannot be opened: ${self.reason}.`);
  await self.close();

  const violation = (
    asked: string,
    reason: Violation["reason"],
    leadsTo: string | null,
  ): WorkspaceRefused => {
    onViolation({ path: asked, root, reason, leadsTo });
    return refused("path_outside_root", `${shown(asked)} is outside the workspace root.`);
  };

  const open = async (asked: string): Promise<Opened> => {
    if (asked.includes("\0")) return violation(asked, "nul_byte", null);
    const wanted = path.resolve(root, asked);
    const isNamedInside = isInside(wanted, root) || isInside(wanted, given);
    const found = await nearestReal(wanted);
    if (!isInside(found.path, root))
      return violation(asked, isNamedInside ? "leads_outside" : "outside_root", found.path);
    if (!found.isWhole)
      return refused("path_not_found", `${shown(asked)} does not exist, or is out of reach.`);

    const folder = await openFolder(found.path, { proof });
    if (!folder.ok) return refused("path_not_found", `${shown(asked)} ${folder.reason}.`);
    if (!isInside(folder.path, root)) {
      await folder.close();
      return violation(asked, "changed_while_opened", folder.path);
    }
    if (!(await folder.has(".git"))) {
      await folder.close();
      return refused(
        "not_a_repository",
        `${shown(asked)} is not a Git repository: it has no .git.`,
      );
    }
    const { path: real, descriptor, close } = folder;
    return { ok: true, workspace: { path: real, descriptor, close } };
  };

  return {
    root,
    open,
    async resolve(asked) {
      const opened = await open(asked);
      if (!opened.ok) return opened;
      await opened.workspace.close();
      return { ok: true, path: opened.workspace.path };
    },
  };
}

/** By whole names: /work-2 is not in /work. */
function isInside(target: string, folder: string): boolean {
  const way = path.relative(folder, target);
  return way === "" || (way !== ".." && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way));
}

function refused(code: WorkspaceRefused["refused"], message: string): WorkspaceRefused {
  return { ok: false, refused: code, message };
}

const SHOWN_LENGTH = 200;

function shown(asked: string): string {
  return JSON.stringify(asked.length > SHOWN_LENGTH ? `${asked.slice(0, SHOWN_LENGTH)}…` : asked);
}
