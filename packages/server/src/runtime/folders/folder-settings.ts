import type { KeepSettings } from "../keep/keep-settings.ts";
import type { WorkspaceKind } from "../../domain/files/session-folder.ts";

/** How sessions of a repository get their folder. */
export interface FolderSettings extends KeepSettings {
  /** For sessions that choose nothing. */
  readonly workspace: WorkspaceKind;
  /** The commit, branch or tag from which worktrees are made; null for the current commit. */
  readonly base: string | null;
  /** Patterns of files that Git ignores and that a worktree needs. */
  readonly copy: readonly string[];
  /** A command that prepares a new worktree; null for none. */
  readonly setup: string | null;
  /** How long that command may take. */
  readonly setupMs: number;
}

export const FOLDER_SETTINGS: FolderSettings = {
  workspace: "shared",
  base: null,
  copy: [],
  setup: null,
  setupMs: 10 * 60_000,
  into: null,
  remote: null,
  pullRequest: null,
  agentTools: [],
};
