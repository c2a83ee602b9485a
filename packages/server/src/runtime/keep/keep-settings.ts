/** How the work of sessions of a repository is kept. */
export interface KeepSettings {
  /** The branch into which work is merged; null for the one that is checked out in the repository. */
  readonly into: string | null;
  /** The URL to which branches are pushed; null for none. */
  readonly remote: string | null;
  /** A command that opens a pull request and prints its address; null for none. */
  readonly pullRequest: string | null;
}
