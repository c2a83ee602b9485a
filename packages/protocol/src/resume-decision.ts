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
] as const;
export const resumeReasonSchema = z.enum(RESUME_REASONS);
export type ResumeReason = z.infer<typeof resumeReasonSchema>;

export const resumeDecisionSchema = z
  .object({
    shouldResume: z.boolean(),
    reason: resumeReasonSchema.describe("that of the first check that failed"),
    checks: z.array(
      z
        .object({
          name: z.enum(["session_valid", "resume_ready", "phase", "last_activity", "errors"]),
          passed: z.boolean(),
          value: z.union([z.boolean(), z.number(), z.string()]),
          limit: z.union([z.number(), z.string()]).nullable(),
        })
        .meta({ id: "ResumeCheck" }),
    ),
  })
  .meta({ id: "ResumeDecision" });
export type ResumeDecision = z.infer<typeof resumeDecisionSchema>;
