import { z } from "zod";

export const healthSchema = z
  .object({ status: z.literal("ok"), version: z.string() })
  .meta({ id: "Health", description: "The process is alive." });
export type Health = z.infer<typeof healthSchema>;

export const sessionCountsSchema = z
  .object({
    active: z.int().nonnegative(),
    suspended: z.int().nonnegative(),
    archived: z.int().nonnegative(),
    error: z.int().nonnegative(),
    badge: z.int().nonnegative().describe("active and suspended: what a badge shows"),
  })
  .meta({ id: "SessionCounts" });
export type SessionCounts = z.infer<typeof sessionCountsSchema>;

export const readinessSchema = z
  .object({
    status: z.enum(["ready", "unready"]),
    reason: z.string().nullable().describe("why not, in a sentence"),
    version: z.string(),
    startedAt: z.iso.datetime(),
    database: z.object({
      engine: z.enum(["sqlite", "postgres"]),
      schema: z.string().nullable().describe("the newest migration"),
    }),
    sessions: sessionCountsSchema.nullable(),
    setAside: z
      .int()
      .nonnegative()
      .nullable()
      .describe("rows that could not be read and were left out"),
  })
  .meta({ id: "Readiness", description: "Whether a request would be served now." });
export type Readiness = z.infer<typeof readinessSchema>;
