import { z } from "zod";
import { phaseSchema } from "./session.ts";
import { timeInputSchema, timeSchema } from "./fields/time.ts";

const count = z.int().nonnegative();
const rate = z.number().min(0).max(1).nullable();
const durations = z.object({ median: z.number(), mean: z.number(), total: z.number() }).nullable();
const outcomes = { completed: count, failed: count, cancelled: count, interrupted: count };
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
      .describe("of the agent or provider; null for runs without one, and for all together"),
    sessions: count,
    runs: count,
    ...outcomes,
    successRate: rate,
    errors: count.describe("of its sessions, whenever they happened"),
    durationMs: durations.describe("from start to end of its runs"),
    ...usage,
  })
  .meta({ id: "StatsGroup" });
export type StatsGroup = z.infer<typeof statsGroupSchema>;

export const phaseStatsSchema = z
  .object({
    phase: phaseSchema,
    sessions: count.describe("that were in it in the range"),
    durationMs: durations.describe(
      "spent in it by each session, where it was left in the range or lasts; null of a final phase",
    ),
    errors: count.describe("failed runs and reported errors in it, in the range"),
  })
  .meta({ id: "PhaseStats" });
export type PhaseStats = z.infer<typeof phaseStatsSchema>;

export const statsBucketSchema = z
  .object({
    start: timeSchema,
    sessions: count.describe("made in it"),
    ...outcomes,
    successRate: rate.describe("of the runs that ended in it"),
    resumeRate: rate.describe("of the sessions that were last cut off in it"),
    ...usage,
  })
  .meta({ id: "StatsBucket" });
export type StatsBucket = z.infer<typeof statsBucketSchema>;

export const statsSchema = z
  .object({
    sessions: count.describe("that lived in the range: from creation to last activity"),
    resumeRate: rate.describe("of sessions that were cut off, how many went on"),
    successRate: rate.describe("of ended runs, how many completed"),
    total: statsGroupSchema,
    byAgent: z.array(statsGroupSchema),
    byProvider: z.array(statsGroupSchema),
    byPhase: z.array(phaseStatsSchema),
    overTime: z.object({
      bucketMs: count.describe("an hour, a day, a week, or several weeks"),
      buckets: z.array(statsBucketSchema).describe("at most 200, none left out, in UTC"),
    }),
  })
  .meta({ id: "Stats" });
export type Stats = z.infer<typeof statsSchema>;

export const statsQuerySchema = z.object({
  from: timeInputSchema
    .optional()
    .describe("runs that ended, and sessions that were active, at or after"),
  to: timeInputSchema
    .optional()
    .describe("runs that ended, and sessions that were created, before"),
});
export type StatsQuery = z.infer<typeof statsQuerySchema>;
