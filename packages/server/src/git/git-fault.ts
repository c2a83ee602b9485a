/** Git could not do what was asked. Nothing of the user's was changed, unless the message says so. */
export class GitFault extends Error {
  /** What Git wrote to stderr, if it ran. */
  readonly detail: string | null;

  constructor(
    message: string,
    { detail = null, cause }: { readonly detail?: string | null; readonly cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.name = "GitFault";
    this.detail = detail;
  }
}
