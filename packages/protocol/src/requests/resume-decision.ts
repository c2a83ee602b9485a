import { z } from "zod";

export const RESUME_REASONS = [
  "session_resumable",
  "session_not_found",
  "session_invalid",
  "session_archived",
  "session_failed",
  "not_resume_ready",
  "phase_not_resumable",
  "inactive_too_long",
  "too_many_errors",
  "workspace_missing",
  "provider_missing",
  "session_busy",
  "budget_used_up",
] as const;
export const resumeReasonSchema = z.enum(RESUME_REASONS);
export type ResumeReason = z.infer<typeof resumeReasonSchema>;

/** Checks that count only where they are required. */
export const FURTHER_CHECKS = ["workspace", "provider", "lease", "budget"] as const;

const RESUME_CHECKS = [
  "session_valid",
  "resume_ready",
  "phase",
  "last_activity",
  "errors",
  ...FURTHER_CHECKS,
] as const;

export const resumeCheckSchema = z
  .object({
    name: z.enum(RESUME_CHECKS),
    passed: z.boolean(),
    required: z.boolean().describe("whether the answer depends on it"),
    value: z
      .union([z.boolean(), z.number(), z.string()])
      .describe("`unknown` where nobody could look"),
    limit: z.union([z.number(), z.string()]).nullable(),
  })
  .meta({ id: "ResumeCheck" });
export type ResumeCheck = z.infer<typeof resumeCheckSchema>;

export const resumeDecisionSchema = z
  .object({
    shouldResume: z.boolean(),
    reason: resumeReasonSchema.describe("that of the first required check that failed"),
    checks: z.array(resumeCheckSchema),
  })
  .meta({ id: "ResumeDecision" });
export type ResumeDecision = z.infer<typeof resumeDecisionSchema>;

const YEAR_MINUTES = 365 * 24 * 60;

/** What is not given is as the server's configuration has it. */
export const shouldResumeQuerySchema = z.object({
  timeoutMinutes: z.coerce
    .number()
    .positive()
    .max(YEAR_MINUTES)
    .optional()
    .describe("how long it may have been inactive; usually 30"),
  maxErrors: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe("how many errors are too many; usually 3"),
  require: z
    .string()
    .transform((text) => (text === "" ? [] : text.split(",")))
    .pipe(z.array(z.enum(FURTHER_CHECKS)))
    .optional()
    .describe("further checks that count, comma-separated; empty for none"),
});
export type ShouldResumeQuery = z.infer<typeof shouldResumeQuerySchema>;
