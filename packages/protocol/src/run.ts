import { z } from "zod";
import { idSchema } from "./fields/identifier.ts";
import { LIMITS } from "./fields/limits.ts";
import { suspensionKindSchema, suspensionStatusSchema, unusedAnswerSchema } from "./suspension.ts";
import { timeSchema } from "./fields/time.ts";

export const RUN_STATUSES = [
  "queued",
  "running",
  "suspended",
  "completed",
  "failed",
  "cancelled",
  "interrupted",
] as const;
export const runStatusSchema = z.enum(RUN_STATUSES);
export type RunStatus = z.infer<typeof runStatusSchema>;

export const RUN_MEMORIES = ["live", "resumed", "loaded", "told", "briefed", "none"] as const;
export const runMemorySchema = z
  .object({
    how: z
      .enum(RUN_MEMORIES)
      .describe(
        "live: the agent was there. resumed, loaded: it took its own session up again. told: it is given the last messages each time. briefed: it was given them once, as a text. none: it knows nothing of them",
      ),
    given: z
      .int()
      .nonnegative()
      .optional()
      .describe(
        "told, briefed: how many messages. resumed, loaded: how many of those since its last run, where other agents worked since",
      ),
    of: z.int().nonnegative().optional().describe("of how many"),
  })
  .meta({ id: "RunMemory" });
export type RunMemory = z.infer<typeof runMemorySchema>;

export const runSchema = z
  .object({
    id: idSchema,
    sessionId: idSchema,
    messageId: idSchema.describe("the message it works on"),
    status: runStatusSchema,
    provider: z.string().nullable(),
    model: z.string().nullable(),
    attempts: z.int().nonnegative().describe("how often an agent was given the message"),
    stopReason: z.string().nullable(),
    error: z.unknown().describe("why it did not complete: {code, message, detail}, or null"),
    usage: z.record(z.string(), z.unknown()).nullable().describe("tokens and cost, as told"),
    memory: runMemorySchema
      .nullable()
      .describe("how its agent knew what was said before; null until it was given the message"),
    unusedAnswers: z
      .array(unusedAnswerSchema)
      .default([])
      .describe(
        "actions that a person allowed after the agent that asked was gone, and that no later agent was seen to take up; known when the run has ended",
      ),
    queuedAt: timeSchema,
    startedAt: timeSchema.nullable(),
    endedAt: timeSchema.nullable(),
  })
  .meta({ id: "Run", description: "One agent at work on one message." });
export type Run = z.infer<typeof runSchema>;

export const runsQuerySchema = z.object({
  limit: z.coerce.number().int().min(1).max(LIMITS.pageSize).default(20),
  cursor: z.string().min(1).max(LIMITS.cursorLength).optional(),
});
export type RunsQuery = z.infer<typeof runsQuerySchema>;

/** What a run waited for, in short. */
export const runSuspensionSchema = z
  .object({
    id: idSchema,
    kind: suspensionKindSchema,
    status: suspensionStatusSchema,
    answer: z.unknown().describe("null when there is none, or it is longer than 1,000 characters"),
    answeredBy: z.string().nullable().describe("who answered, where that is known"),
    createdAt: timeSchema,
    closedAt: timeSchema.nullable(),
  })
  .meta({ id: "RunSuspension" });
export type RunSuspension = z.infer<typeof runSuspensionSchema>;

export const pastRunSchema = runSchema
  .extend({
    suspensions: z
      .array(runSuspensionSchema)
      .describe("what it waited for, oldest first; the first 100"),
  })
  .meta({ id: "PastRun", description: "A run, and what it waited for." });
export type PastRun = z.infer<typeof pastRunSchema>;

export const runsReplySchema = z
  .object({
    runs: z.array(pastRunSchema).describe("in the order they were asked for"),
    nextCursor: z.string().nullable().describe("`cursor` of the next page, if there is one"),
  })
  .meta({ id: "Runs" });
export type RunsReply = z.infer<typeof runsReplySchema>;
