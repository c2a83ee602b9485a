import { z } from "zod";

/** Every code a problem can have. Public for ever: clients branch on them. */
export const PROBLEM_CODES = [
  "agents_busy",
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
  "host_not_allowed",
  "internal_error",
  "invalid_request",
  "message_not_queued",
  "not_found",
  "phase_final",
  "queue_full",
  "repository_required",
  "row_unreadable",
  "run_not_current",
  "run_not_next",
  "run_not_running",
  "schema_too_new",
  "schema_too_old",
  "session_archived",
  "session_busy",
  "session_exists",
  "session_failed",
  "session_not_found",
  "session_not_suspended",
  "store_closed",
  "suspension_not_open",
  "unauthorized",
  "writes_overflow",
] as const;

export const problemCodeSchema = z.enum(PROBLEM_CODES);
export type ProblemCode = z.infer<typeof problemCodeSchema>;

/** An error as RFC 9457 has it, with a stable code. */
export const problemSchema = z
  .object({
    type: z.string().describe("about:blank: the code says what happened"),
    title: z.string(),
    status: z.int(),
    code: problemCodeSchema,
    detail: z.string(),
  })
  .meta({ id: "Problem" });
export type Problem = z.infer<typeof problemSchema>;
