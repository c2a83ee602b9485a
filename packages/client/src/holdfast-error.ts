import type { Problem, ProblemCode } from "@holdfast/protocol";
import { isObject } from "./helpers.ts";
import type { ServerReply } from "./transport.ts";
import type { Validation } from "./validation.ts";

export type HoldfastErrorCode = ProblemCode | "unexpected_reply";

/** The server refused the request. Branch on the code. */
export class HoldfastError extends Error {
  readonly code: HoldfastErrorCode;
  readonly status: number;
  /** The reason, in a sentence. */
  readonly detail: string;
  /** The whole reply, such as the list of invalid fields; null when the reply is not a valid problem. */
  readonly problem: Problem | null;
  /** The `Retry-After` of the reply. */
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

/** The reply did not arrive, or not completely. The request may still have taken effect. */
export class ConnectionError extends Error {
  readonly code = "connection_failed";

  constructor(message: string, options: { cause: unknown }) {
    super(message, options);
    this.name = "ConnectionError";
  }
}

/** The error for a reply that is a problem, or that is not valid. */
export function toHoldfastError(
  { status, headers }: Pick<ServerReply, "headers" | "status">,
  body: unknown,
  validation: Validation,
): HoldfastError {
  const retryAfterMs = retryAfterOf(headers);
  const problem = validation.reply("problemSchema", body);
  if (problem !== undefined)
    return new HoldfastError(problem.code, {
      status,
      detail: problem.detail,
      problem,
      retryAfterMs,
    });
  // A newer server may use an unknown code; its detail is still worth showing.
  const detail = isObject(body) ? body["detail"] : null;
  return new HoldfastError("unexpected_reply", {
    status,
    detail:
      typeof detail === "string" ? detail : `The server sent an unexpected reply (${status}).`,
    retryAfterMs,
  });
}

function retryAfterOf(headers: Pick<Headers, "get">): number | null {
  const text = headers.get("retry-after");
  if (text === null) return null;
  const ms = /^\d+$/u.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
}
