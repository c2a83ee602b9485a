import { readlink, realpath } from "node:fs/promises";
import path from "node:path";
import type { OpenWorkspace } from "../open-workspace.ts";
import { nullOn } from "../error-codes.ts";
import { refuse, type Refused, type Reply } from "../reply.ts";
import { BEST_PROOF, canFollowLinks, openFolder, type FolderProof } from "./open-folder.ts";

/** The folder that contains all repositories, `AGENT_WORKSPACE_ROOT`. */
export interface WorkspaceRoot {
  /** The real path, without symbolic links. */
  readonly root: string;
  /** The real path of a repository's folder. */
  resolve(requested: string): Promise<Reply<{ readonly path: string }>>;
  /** Also holds the folder open, so that an agent starts in the verified folder even if the path changes. */
  open(requested: string): Promise<Opened>;
  /** The same for a folder that need not be a repository. */
  openDirectory(requested: string): Promise<Opened>;
}

/** A refusal names only the root and the requested path, not its target. */
export type Opened = Reply<{ readonly workspace: OpenWorkspace }>;

/** A request for a path outside the root. For the log, so it names the target too. */
export interface Violation {
  readonly path: string;
  readonly root: string;
  readonly reason: "nul_byte" | "outside_root" | "leads_outside" | "changed_while_opened";
  readonly leadsTo: string | null;
}

export interface RootOptions {
  /** A sentence that says how to get a root that contains the path; null for a path in the root that leads outside. */
  readonly howToWiden?: (root: string, requested: string | null) => string;
  readonly onViolation: (violation: Violation) => void;
  /** Set by tests; by default the best proof of the system. */
  readonly proof?: FolderProof;
}

/** Throws if the root is not a folder that can be opened. */
export async function openWorkspaceRoot(
  folder: string,
  { onViolation, howToWiden, proof = BEST_PROOF }: RootOptions,
): Promise<WorkspaceRoot> {
  const configured = path.resolve(folder);
  const root = await realpath(configured);
  const self = await openFolder(root, proof);
  if (!self.ok) throw new Error(`The workspace root ${folder} cannot be opened: ${self.reason}.`);
  await self.close();

  const violation = (
    requested: string,
    reason: Violation["reason"],
    leadsTo: string | null,
  ): Refused => {
    onViolation({ path: requested, root, reason, leadsTo });
    const isPath = reason === "outside_root";
    const advice = howToWiden?.(root, isPath ? path.resolve(root, requested) : null);
    return refuse(
      "path_outside_root",
      `${shown(requested)} is outside the workspace root ${root}.${advice === undefined ? "" : ` ${advice}`}`,
    );
  };

  const openInside = async (requested: string, isRepository: boolean): Promise<Opened> => {
    if (requested.includes("\0")) return violation(requested, "nul_byte", null);
    const wanted = path.resolve(root, requested);
    const isNamedInside = isInside(wanted, root) || isInside(wanted, configured);
    const leadsTo = (real: string): Refused =>
      violation(requested, isNamedInside ? "leads_outside" : "outside_root", real);
    const notFound = (why: string): Refused =>
      refuse("path_not_found", `${shown(requested)} ${why}.`);
    const expected = isRepository ? ".git" : null;

    let folder = canFollowLinks(proof)
      ? await openFolder(wanted, proof, { expected, followsLinks: true })
      : null;
    if (folder?.ok !== true) {
      const real = await nearestReal(wanted);
      if (!isInside(real.path, root)) return leadsTo(real.path);
      if (!real.isWhole) return notFound("does not exist or is not accessible");
      folder ??= await openFolder(real.path, proof, { expected });
      if (!folder.ok) return notFound(folder.reason);
    }
    if (!isInside(folder.path, root)) {
      await folder.close();
      return canFollowLinks(proof)
        ? leadsTo(folder.path)
        : violation(requested, "changed_while_opened", folder.path);
    }
    if (!folder.hasExpected) {
      await folder.close();
      return refuse(
        "not_a_repository",
        `${shown(requested)} is not a Git repository: it has no .git.`,
      );
    }
    const { path: realPath, descriptor, close } = folder;
    return { ok: true, workspace: { path: realPath, descriptor, close } };
  };

  const open = (requested: string): Promise<Opened> => openInside(requested, true);
  return {
    root,
    open,
    openDirectory: (requested) => openInside(requested, false),
    async resolve(requested) {
      const opened = await open(requested);
      if (!opened.ok) return opened;
      await opened.workspace.close();
      return { ok: true, path: opened.workspace.path };
    },
  };
}

/** Compares whole names: /work-2 is not inside /work. */
function isInside(target: string, folder: string): boolean {
  const relative = path.relative(folder, target);
  const isAbove = relative === ".." || relative.startsWith(`..${path.sep}`);
  return !isAbove && !path.isAbsolute(relative);
}

const SHOWN_LENGTH = 200;

function shown(requested: string): string {
  return JSON.stringify(
    requested.length > SHOWN_LENGTH ? `${requested.slice(0, SHOWN_LENGTH)}…` : requested,
  );
}

/** The usual limit of operating systems. */
const MAX_LINKS = 40;

/**
 * The real path, or its longest existing and accessible part. A dangling link is followed too, so that the reply does
 * not reveal whether something exists outside the workspace root.
 */
async function nearestReal(
  wanted: string,
): Promise<{ readonly path: string; readonly isWhole: boolean }> {
  const real = await realOrNull(wanted);
  if (real !== null) return { path: real, isWhole: true };
  let rest = wanted;
  let links = 0;
  while (rest !== path.dirname(rest)) {
    const folder = path.dirname(rest);
    const target = await readlink(rest).catch(nullIfExpected);
    if (target !== null) links += 1;
    if (links > MAX_LINKS) break; // a circle of links
    rest = target === null ? folder : path.resolve((await realOrNull(folder)) ?? folder, target);
    const existing = await realOrNull(rest);
    if (existing !== null) return { path: existing, isWhole: false };
  }
  const last = await realOrNull(path.dirname(rest));
  return { path: last ?? path.parse(wanted).root, isWhole: false };
}

function realOrNull(wanted: string): Promise<string | null> {
  return realpath(wanted).catch(nullIfExpected);
}

/** Missing, not a link, not accessible, or an impossible path. */
const nullIfExpected = nullOn(
  "ENOENT",
  "ENOTDIR",
  "EACCES",
  "EPERM",
  "ELOOP",
  "EINVAL",
  "ENAMETOOLONG",
  "UNKNOWN",
);
