/** How the work of sessions of a repository is kept. */
export interface KeepSettings {
  /** The branch into which work is merged; null for the one that is checked out in the repository. */
  readonly into: string | null;
  /** The URL to which branches are pushed; null for none. */
  readonly remote: string | null;
  /** A command that opens a pull request and prints its address; null for none. */
  readonly pullRequest: string | null;
  /** The tools that agents have for this. */
  readonly agentTools: readonly WorkTool[];
}

export const WORK_TOOLS = [
  "commit_changes",
  "rebase_branch",
  "merge_branch",
  "push_branch",
  "open_pull_request",
] as const;
/** A tool with which an agent keeps its work. */
export type WorkTool = (typeof WORK_TOOLS)[number];
