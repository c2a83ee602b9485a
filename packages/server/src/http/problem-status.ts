import { problemCodeSchema, type Problem, type ProblemCode } from "@holdfast/protocol";
import type { RefusalCode } from "../domain/refusal.ts";

/** The one place where a code becomes an HTTP status: a new code does not compile until it has a row. */
const PROBLEM_STATUS = {
  agents_busy: 429,
  constraint_broken: 500,
  database_busy: 503,
  database_corrupt: 500,
  database_error: 500,
  database_io: 500,
  database_readonly: 503,
  database_unavailable: 503,
  delivery_held: 409,
  delivery_rejected: 409,
  disk_full: 507,
  host_not_allowed: 403,
  internal_error: 500,
  invalid_request: 400,
  message_not_queued: 409,
  not_found: 404,
  phase_final: 409,
  queue_full: 409,
  repository_required: 409,
  row_unreadable: 500,
  run_not_current: 409,
  run_not_next: 409,
  run_not_running: 409,
  schema_too_new: 500,
  schema_too_old: 500,
  session_archived: 409,
  session_busy: 409,
  session_exists: 409,
  session_failed: 409,
  session_not_found: 404,
  session_not_suspended: 409,
  store_closed: 503,
  suspension_not_open: 409,
  unauthorized: 401,
  writes_overflow: 503,
} as const satisfies Record<ProblemCode, number> & Record<RefusalCode, number>;

const TITLES: Readonly<Record<number, string>> = {
  400: "Bad request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not found",
  409: "Conflict",
  429: "Too many requests",
  500: "Internal error",
  503: "Unavailable",
  507: "Insufficient storage",
};

export function toProblem(code: ProblemCode, detail: string): Problem {
  const status = PROBLEM_STATUS[code];
  return { type: "about:blank", title: TITLES[status] ?? "Error", status, code, detail };
}

/** What a client may know of something thrown: our own faults by their code, the rest by none. */
export function problemFromError(error: unknown): Problem {
  const { code, message } =
    error instanceof Error && "code" in error ? error : { code: null, message: "" };
  const known = problemCodeSchema.safeParse(code);
  if (known.success) return toProblem(known.data, message);
  if (isClientError(error)) return toProblem("invalid_request", error.message);
  return toProblem("internal_error", "The server failed to handle the request. Its log says more.");
}

function isClientError(error: unknown): error is Error & { readonly statusCode: number } {
  if (!(error instanceof Error) || !("statusCode" in error)) return false;
  const { statusCode } = error;
  return typeof statusCode === "number" && statusCode >= 400 && statusCode < 500;
}
