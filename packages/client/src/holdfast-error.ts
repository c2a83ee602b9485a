import { problemSchema, type Problem, type ProblemCode } from "@holdfast/protocol";

export type HoldfastErrorCode = ProblemCode | "unexpected_reply";

/** The server said no, with a code to branch on. */
export class HoldfastError extends Error {
  readonly code: HoldfastErrorCode;
  readonly status: number;
  /** What happened, in a sentence. */
  readonly detail: string;
  /** The server's whole answer, where it is one of ours: with the fields that were wrong, for one. */
  readonly problem: Problem | null;
  /** How long the server asks to wait. */
  readonly retryAfterMs: number | null;

  constructor(
    code: HoldfastErrorCode,
    {
      status,
      detail,
      problem = null,
      retryAfterMs = null,
      cause,
    }: {
      status: number;
      detail: string;
      problem?: Problem | null;
      retryAfterMs?: number | null;
      cause?: unknown;
    },
  ) {
    super(detail, cause === undefined ? undefined : { cause });
    this.name = "HoldfastError";
    this.code = code;
    this.status = status;
    this.detail = detail;
    this.problem = problem;
    this.retryAfterMs = retryAfterMs;
  }
}

/** No answer came, or not the whole of it. What the request asked for may have been done. */
export class ConnectionError extends Error {
  readonly code = "connection_failed";

  constructor(message: string, options: { cause: unknown }) {
    super(message, options);
    this.name = "ConnectionError";
  }
}

export interface Refused {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

export function toHoldfastError({ status, headers, body }: Refused): HoldfastError {
  const retryAfterMs = retryAfterOf(headers);
  const { data: problem } = problemSchema.safeParse(body);
  if (problem !== undefined)
    return new HoldfastError(problem.code, {
      status,
      detail: problem.detail,
      problem,
      retryAfterMs,
    });
  return new HoldfastError("unexpected_reply", {
    status,
    detail: detailOf(body) ?? `The server answered ${status} with something else.`,
    retryAfterMs,
  });
}

/** A newer server may use codes that are not known here; what it says is still worth showing. */
function detailOf(body: unknown): string | null {
  return problemSchema.omit({ code: true }).safeParse(body).data?.detail ?? null;
}

function retryAfterOf(headers: Headers): number | null {
  const text = headers.get("retry-after");
  if (text === null) return null;
  const ms = /^\d+$/u.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
}
