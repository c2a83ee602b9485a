/** Exit codes; scripts rely on them. */
export const EXIT = { done: 0, no: 1, failed: 2, suspended: 3, usage: 64 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Ends a command with its message, one line, on stderr. */
export class CommandFailure extends Error {
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = EXIT.failed, options?: { cause: unknown }) {
    super(message, options);
    this.exitCode = exitCode;
  }
}
