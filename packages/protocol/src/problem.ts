import { z } from "zod";
import { stateSchema, statusSchema } from "./session.ts";

/** All problem codes. They are stable, because clients branch on them. */
export const PROBLEM_CODES = [
  "agent_not_installed",
  "agents_busy",
  "answer_invalid",
  "bundle_invalid",
  "changes_unknown",
  "constraint_broken",
  "database_busy",
  "database_corrupt",
  "database_error",
  "database_io",
  "database_readonly",
  "database_unavailable",
  "delivery_held",
  "delivery_rejected",
  "disk_full",
  "forbidden",
  "git_failed",
  "grant_not_found",
  "hook_failed",
  "host_not_allowed",
  "idempotency_key_reused",
  "internal_error",
  "invalid_request",
  "login_unavailable",
  "mcp_server_invalid",
  "merge_conflicts",
  "message_not_found",
  "message_not_queued",
  "metadata_invalid",
  "method_not_allowed",
  "node_ambiguous",
  "node_not_found",
  "not_a_repository",
  "not_committed",
  "not_found",
  "nothing_to_commit",
  "origin_not_allowed",
  "path_not_found",
  "path_outside_root",
  "payload_too_large",
  "permission_denied",
  "phase_final",
  "provider_unknown",
  "pull_request_failed",
  "push_failed",
  "queue_full",
  "remote_required",
  "removed_not_found",
  "repository_in_use",
  "repository_not_found",
  "repository_owner_refused",
  "repository_required",
  "rewind_not_found",
  "row_unreadable",
  "run_not_current",
  "run_not_found",
  "run_not_next",
  "run_not_running",
  "schema_too_new",
  "schema_too_old",
  "secret_undeliverable",
  "server_stopping",
  "session_archived",
  "session_busy",
  "session_exists",
  "session_failed",
  "session_not_found",
  "session_not_idle",
  "session_not_suspended",
  "setting_not_offered",
  "settings_not_written",
  "store_closed",
  "streams_full",
  "suspension_answered",
  "suspension_not_found",
  "suspension_not_open",
  "suspensions_full",
  "token_not_found",
  "tokens_full",
  "too_many_attempts",
  "tool_not_given",
  "unauthorized",
  "unsupported_media_type",
  "version_mismatch",
  "worktree_required",
  "writes_overflow",
] as const;

export const problemCodeSchema = z.enum(PROBLEM_CODES);
export type ProblemCode = z.infer<typeof problemCodeSchema>;

/** One error in a request. */
export const fieldErrorSchema = z
  .object({
    field: z
      .string()
      .describe("path of the field, such as content.0.text; empty for the whole body or query"),
    message: z.string(),
  })
  .meta({ id: "FieldError" });
export type FieldError = z.infer<typeof fieldErrorSchema>;

/** A problem document (RFC 9457) with a stable code. */
export const problemSchema = z
  .object({
    type: z.string().describe("always about:blank; see `code`"),
    title: z.string(),
    status: z.int(),
    code: problemCodeSchema,
    detail: z.string(),
    errors: z
      .array(fieldErrorSchema)
      .optional()
      .describe(
        "for invalid_request and answer_invalid: the errors by field of the request or form",
      ),
    sessionStatus: statusSchema
      .optional()
      .describe("status of the session that refused the request"),
    sessionState: stateSchema.optional(),
  })
  .meta({ id: "Problem" });
export type Problem = z.infer<typeof problemSchema>;
