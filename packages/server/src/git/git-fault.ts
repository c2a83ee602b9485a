/** Git could not do what was asked. Nothing of the user's was changed, unless the message says so. */
export class GitFault extends Error {
  /** What Git wrote to stderr, if it ran. */
  readonly detail: string | null;
  /** Whether another try would end the same way. */
  readonly isLasting: boolean;

  constructor(
    message: string,
    {
      detail = null,
      isLasting = false,
      cause,
    }: {
      readonly detail?: string | null;
      readonly isLasting?: boolean;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, { cause });
    this.name = "GitFault";
    this.detail = detail;
    this.isLasting = isLasting;
  }
}

/** A fault of the system, such as a folder that is gone or a full disk, as a `GitFault`. A bug stays what it is. */
export function asGitFault(error: unknown): unknown {
  const isOfSystem = error instanceof Error && "syscall" in error;
  return isOfSystem
    ? new GitFault(`Git cannot be used here: ${error.message}.`, { cause: error })
    : error;
}
