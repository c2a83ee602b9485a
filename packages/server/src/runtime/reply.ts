import type { FieldProblem } from "../domain/elicitation/check-answer.ts";
import type { RefusalCode } from "../domain/kernel/refusal.ts";
import type { State, Status } from "../domain/status.ts";

export type Reply<Value> =
  | ({ readonly ok: true } & Value)
  | { readonly ok: false; readonly refusal: RuntimeRefusal };

/** The refusals of the runtime, in addition to those of the kernel. */
export const RUNTIME_REFUSAL_CODES = [
  "agent_not_installed",
  "answer_invalid",
  "bundle_invalid",
  "changes_unknown",
  "git_failed",
  "grant_not_found",
  "hook_failed",
  "idempotency_key_reused",
  "login_unavailable",
  "mcp_server_invalid",
  "merge_conflicts",
  "message_not_found",
  "metadata_invalid",
  "node_ambiguous",
  "node_not_found",
  "not_a_repository",
  "not_committed",
  "nothing_to_commit",
  "path_not_found",
  "path_outside_root",
  "permission_denied",
  "provider_unknown",
  "pull_request_failed",
  "push_failed",
  "remote_required",
  "removed_not_found",
  "repository_in_use",
  "repository_not_found",
  "repository_owner_refused",
  "run_not_found",
  "secret_undeliverable",
  "server_stopping",
  "setting_not_offered",
  "settings_not_written",
  "suspension_answered",
  "suspension_not_found",
  "suspensions_full",
  "token_not_found",
  "tokens_full",
  "tool_not_given",
  "version_mismatch",
  "worktree_required",
] as const;
export type RuntimeRefusalCode = (typeof RUNTIME_REFUSAL_CODES)[number] | RefusalCode;

export interface RuntimeRefusal {
  readonly code: RuntimeRefusalCode;
  readonly message: string;
  readonly status: Status | null;
  readonly state: State | null;
  /** The problems by field, if an answer does not fit its form. */
  readonly errors?: readonly FieldProblem[];
}

export interface Refused {
  readonly ok: false;
  readonly refusal: RuntimeRefusal;
}

export function refuse(
  code: RuntimeRefusalCode,
  message: string,
  about: { readonly status: Status; readonly state: State } | null = null,
): Refused {
  const { status = null, state = null } = about ?? {};
  return { ok: false, refusal: { code, message, status, state } };
}

export function noSuchSession(): Refused {
  return refuse("session_not_found", "There is no such session.");
}
