import type { State, Status } from "../status.ts";

/** The reasons for which the kernel refuses a command. Codes are part of the API and never change. */
export const REFUSAL_CODES = [
  "session_not_found",
  "session_exists",
  "session_archived",
  "session_failed",
  "session_busy",
  "repository_required",
  "delivery_held",
  "delivery_rejected",
  "agents_busy",
  "queue_full",
  "message_not_queued",
  "run_not_next",
  "run_not_current",
  "run_not_running",
  "suspension_not_open",
  "session_not_suspended",
  "phase_final",
  "rewind_not_found",
  "session_not_idle",
] as const;
export type RefusalCode = (typeof REFUSAL_CODES)[number];

export interface Refusal {
  readonly code: RefusalCode;
  readonly message: string;
  readonly status: Status | null;
  readonly state: State | null;
}
