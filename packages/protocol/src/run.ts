import { z } from "zod";
import { idSchema } from "./identifier.ts";
import { timeSchema } from "./time.ts";

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
        "live: the agent was there. resumed, loaded: it took its own session up again. told: it is given all messages each time. briefed: it was given the last messages as a text. none: it knows nothing of them",
      ),
    given: z.int().nonnegative().optional().describe("briefed: with how many messages"),
    of: z.int().nonnegative().optional().describe("briefed: of how many"),
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
    queuedAt: timeSchema,
    startedAt: timeSchema.nullable(),
    endedAt: timeSchema.nullable(),
  })
  .meta({ id: "Run", description: "One agent at work on one message." });
export type Run = z.infer<typeof runSchema>;
