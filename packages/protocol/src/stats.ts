import { z } from "zod";
import { timeInputSchema } from "./time.ts";

const count = z.int().nonnegative();
const rate = z.number().min(0).max(1).nullable();

export const statsGroupSchema = z
  .object({
    name: z.string().nullable().describe("of the agent or provider; null for runs without one"),
    sessions: count,
    runs: count,
    completed: count,
    failed: count,
    cancelled: count,
    interrupted: count,
    successRate: rate,
    durationMs: z
      .object({ median: z.number(), mean: z.number(), total: z.number() })
      .nullable()
      .describe("from start to end of its runs"),
    inputTokens: z.number().nonnegative(),
    outputTokens: z.number().nonnegative(),
    cost: z.record(z.string(), z.number()).describe("by currency"),
  })
  .meta({ id: "StatsGroup" });
export type StatsGroup = z.infer<typeof statsGroupSchema>;

export const statsSchema = z
  .object({
    sessions: count,
    resumeRate: rate.describe("of sessions that were cut off, how many went on"),
    successRate: rate.describe("of ended runs, how many completed"),
    byAgent: z.array(statsGroupSchema),
    byProvider: z.array(statsGroupSchema),
  })
  .meta({ id: "Stats" });
export type Stats = z.infer<typeof statsSchema>;

export const statsQuerySchema = z.object({
  from: timeInputSchema.optional(),
  to: timeInputSchema.optional(),
});
export type StatsQuery = z.infer<typeof statsQuerySchema>;
