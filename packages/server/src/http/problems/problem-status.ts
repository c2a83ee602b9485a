import { problemCodeSchema, type Problem, type ProblemCode } from "@holdfast/protocol";
import type { RuntimeRefusal, RuntimeRefusalCode } from "../../runtime/reply.ts";
import { InvalidRequest } from "./invalid-request.ts";

/** The HTTP status of each code. A new code does not compile until it has a row here. */
export const PROBLEM_STATUS = {
  agent_not_installed: 409,
  agents_busy: 429,
  answer_invalid: 422,
  bundle_invalid: 400,
  changes_unknown: 409,
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
  forbidden: 403,
  git_failed: 409,
  grant_not_found: 404,
  hook_failed: 409,
  host_not_allowed: 403,
  idempotency_key_reused: 422,
  internal_error: 500,
  invalid_request: 400,
  login_unavailable: 409,
  mcp_server_invalid: 422,
  merge_conflicts: 409,
  message_not_found: 404,
  message_not_queued: 409,
  metadata_invalid: 422,
  method_not_allowed: 405,
  node_ambiguous: 409,
  node_not_found: 404,
  not_a_repository: 409,
  not_committed: 409,
  not_found: 404,
  nothing_to_commit: 409,
  origin_not_allowed: 403,
  path_not_found: 404,
  path_outside_root: 403,
  permission_denied: 403,
  payload_too_large: 413,
  phase_final: 409,
  provider_unknown: 400,
  pull_request_failed: 409,
  push_failed: 409,
  queue_full: 409,
  remote_required: 409,
  removed_not_found: 404,
  repository_in_use: 409,
  repository_not_found: 404,
  repository_owner_refused: 409,
  repository_required: 409,
  rewind_not_found: 404,
  row_unreadable: 500,
  run_not_current: 409,
  run_not_found: 404,
  run_not_next: 409,
  run_not_running: 409,
  schema_too_new: 500,
  schema_too_old: 500,
  secret_undeliverable: 409,
  server_stopping: 503,
  session_archived: 409,
  session_busy: 409,
  session_exists: 409,
  session_failed: 409,
  session_not_found: 404,
  session_not_idle: 409,
  session_not_suspended: 409,
  setting_not_offered: 422,
  settings_not_written: 500,
  store_closed: 503,
  streams_full: 503,
  suspension_answered: 409,
  suspension_not_found: 404,
  suspension_not_open: 409,
  suspensions_full: 409,
  token_not_found: 404,
  tokens_full: 409,
  tool_not_given: 403,
  too_many_attempts: 429,
  unauthorized: 401,
  unsupported_media_type: 415,
  version_mismatch: 412,
  worktree_required: 409,
  writes_overflow: 503,
} as const satisfies Record<ProblemCode, number> & Record<RuntimeRefusalCode, number>;

const TITLES: Readonly<Record<number, string>> = {
  400: "Bad request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not found",
  405: "Method not allowed",
  409: "Conflict",
  412: "Precondition failed",
  413: "Content too large",
  415: "Unsupported media type",
  422: "Unprocessable content",
  429: "Too many requests",
  500: "Internal error",
  503: "Unavailable",
  507: "Insufficient storage",
};

export function toProblem(code: ProblemCode, detail: string): Problem {
  const status = PROBLEM_STATUS[code];
  return { type: "about:blank", title: TITLES[status] ?? "Error", status, code, detail };
}

/** A refusal, with the status and state of the session if there is one. */
export function problemFromRefusal(refusal: RuntimeRefusal): Problem {
  const { code, message, status, state, errors } = refusal;
  return {
    ...toProblem(code, message),
    ...(errors !== undefined && { errors: [...errors] }),
    ...(status !== null && { sessionStatus: status }),
    ...(state !== null && { sessionState: state }),
  };
}

/** The problem for a thrown error. Only errors with one of our codes show their message. */
export function problemFromError(error: unknown): Problem {
  if (error instanceof InvalidRequest) {
    return { ...toProblem("invalid_request", error.message), errors: [...error.errors] };
  }
  if (error instanceof Error && "code" in error) {
    const code = problemCodeSchema.safeParse(error.code);
    if (code.success) return toProblem(code.data, error.message);
  }
  return problemOfFramework(error);
}

/** Fastify's errors are recognised by their status, because their texts may change. */
function problemOfFramework(error: unknown): Problem {
  if (isClientError(error)) {
    switch (error.statusCode) {
      case 413:
        return toProblem("payload_too_large", "The body is too large for this route.");
      case 415:
        return toProblem(
          "unsupported_media_type",
          "Send JSON with Content-Type: application/json.",
        );
      default:
        return toProblem("invalid_request", error.message);
    }
  }
  return toProblem("internal_error", "The server could not handle the request. See its log.");
}

function isClientError(error: unknown): error is Error & { readonly statusCode: number } {
  if (!(error instanceof Error) || !("statusCode" in error)) return false;
  const { statusCode } = error;
  return typeof statusCode === "number" && statusCode >= 400 && statusCode < 500;
}
