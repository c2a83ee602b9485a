import { isObject, type Json } from "../json.ts";
import type { Rewind, SessionFiles } from "./working-files.ts";

/** `shared`: the folder of the repository. `worktree`: a linked worktree that only this session uses. */
export const WORKSPACE_KINDS = ["shared", "worktree"] as const;
export type WorkspaceKind = (typeof WORKSPACE_KINDS)[number];

/** Where the agents of a session work. */
export interface SessionWorkspace {
  readonly kind: WorkspaceKind;
  /** The commit, branch or tag from which the worktree is to be made; null for the current commit. */
  readonly base: string | null;
  /** The worktree; null until the first run needs it, or after it was removed. */
  readonly worktree: Worktree | null;
  /** The address of a pull request for its branch; absent if there is none. */
  readonly pullRequest?: string;
}

export interface Worktree {
  /** Its real path. */
  readonly folder: string;
  readonly branch: string;
  /** The commit at which its branch began. */
  readonly base: string;
}

/** The folder of a session and what is known about its files. */
export interface SessionFolder {
  readonly workspace: SessionWorkspace;
  /** Null before the first run. */
  readonly files: SessionFiles | null;
  /** The last way back; null if there was none, or a run has started since. */
  readonly rewind: Rewind | null;
}

export const SHARED: SessionWorkspace = { kind: "shared", base: null, worktree: null };

export const NEW_FOLDER: SessionFolder = { workspace: SHARED, files: null, rewind: null };

/** Undefined if the value is invalid. */
export function parseWorkspace(json: Json): SessionWorkspace | undefined {
  if (json === null) return SHARED;
  if (!isObject(json)) return undefined;
  const { base = null, worktree = null } = json;
  const kind = WORKSPACE_KINDS.find((each) => each === json["kind"]);
  if (kind === undefined) return undefined;
  return {
    kind,
    base: typeof base === "string" ? base : null,
    worktree: parseWorktree(worktree),
    ...(typeof json["pullRequest"] === "string" && { pullRequest: json["pullRequest"] }),
  };
}

function parseWorktree(json: Json): Worktree | null {
  if (!isObject(json)) return null;
  const { folder, branch, base } = json;
  const isKnown =
    typeof folder === "string" && typeof branch === "string" && typeof base === "string";
  return isKnown ? { folder, branch, base } : null;
}
