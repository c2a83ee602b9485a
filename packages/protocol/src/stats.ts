import { z } from "zod";
import { countSchema } from "./fields/number.ts";
import { phaseSchema } from "./session.ts";
import { timeInputSchema, timeSchema } from "./fields/time.ts";

const rate = z.number().min(0).max(1).nullable();
const durations = z.object({ median: z.number(), mean: z.number(), total: z.number() }).nullable();
const outcomes = {
  completed: countSchema,
  failed: countSchema,
  cancelled: countSchema,
  interrupted: countSchema,
};
const usage = {
  inputTokens: z.number().nonnegative(),
  outputTokens: z.number().nonnegative(),
  cost: z.record(z.string(), z.number()).describe("by currency"),
};

export const statsGroupSchema = z
  .object({
    name: z
      .string()
      .nullable()
      .describe("agent name or provider; null for runs without one and for the total"),
    sessions: countSchema,
    runs: countSchema,
    ...outcomes,
    successRate: rate,
    errors: countSchema.describe("errors of these sessions, at any time"),
    durationMs: durations.describe("duration of the runs"),
    ...usage,
  })
  .meta({ id: "StatsGroup" });
export type StatsGroup = z.infer<typeof statsGroupSchema>;

export const phaseStatsSchema = z
  .object({
    phase: phaseSchema,
    sessions: countSchema.describe("sessions that were in this phase within the range"),
    durationMs: durations.describe(
      "time that each session spent in the phase, if it left the phase within the range or is still in it; null for final phases",
    ),
    errors: countSchema.describe("failed runs and reported errors within the range"),
  })
  .meta({ id: "PhaseStats" });
export type PhaseStats = z.infer<typeof phaseStatsSchema>;

export const statsBucketSchema = z
  .object({
    start: timeSchema,
    sessions: countSchema.describe("sessions created in this bucket"),
    ...outcomes,
    successRate: rate.describe("success rate of the runs that ended in this bucket"),
    resumeRate: rate.describe(
      "resume rate of the sessions that were last interrupted in this bucket",
    ),
    ...usage,
  })
  .meta({ id: "StatsBucket" });
export type StatsBucket = z.infer<typeof statsBucketSchema>;

export const statsSchema = z
  .object({
    sessions: countSchema.describe("sessions that were active within the range"),
    resumeRate: rate.describe("share of interrupted sessions that continued"),
    successRate: rate.describe("share of ended runs that completed"),
    total: statsGroupSchema,
    byAgent: z.array(statsGroupSchema),
    byProvider: z.array(statsGroupSchema),
    byPhase: z.array(phaseStatsSchema),
    overTime: z.object({
      bucketMs: countSchema.describe("an hour, a day, a week, or several weeks"),
      buckets: z.array(statsBucketSchema).describe("at most 200, without gaps, in UTC"),
    }),
  })
  .meta({ id: "Stats" });
export type Stats = z.infer<typeof statsSchema>;

export const statsQuerySchema = z.object({
  from: timeInputSchema
    .optional()
    .describe(
      "start of the range: runs that ended, and sessions that were active, at or after this time",
    ),
  to: timeInputSchema
    .optional()
    .describe(
      "end of the range: runs that ended, and sessions that were created, before this time",
    ),
});
export type StatsQuery = z.infer<typeof statsQuerySchema>;
