import { z } from "zod";
import { changeCountsSchema } from "./work/changes.ts";
import { countSchema, limitSchema } from "./fields/number.ts";
import { idSchema } from "./fields/identifier.ts";
import { listOf } from "./fields/list.ts";
import { LIMITS } from "./fields/limits.ts";
import { suspensionKindSchema, suspensionStatusSchema, unusedAnswerSchema } from "./suspension.ts";
import { runSettingsSchema } from "./requests/agent-options.ts";
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

export const RUN_MEMORIES = [
  "live",
  "resumed",
  "loaded",
  "forked",
  "told",
  "briefed",
  "none",
] as const;
export const runMemorySchema = z
  .object({
    how: z
      .enum(RUN_MEMORIES)
      .describe(
        "live: the agent was still running. resumed, loaded: it reopened its own session. forked: in a fork, it copied the agent's session of the original. told: it receives the last messages with every prompt. briefed: it received them once, as text. none: it does not know them",
      ),
    given: countSchema
      .optional()
      .describe(
        "for told and briefed, the number of messages it received; for resumed, loaded and forked, how many of the messages since its last run, if other agents worked in between",
      ),
    of: countSchema.optional().describe("the number of messages it could have received"),
  })
  .meta({ id: "RunMemory" });
export type RunMemory = z.infer<typeof runMemorySchema>;

export const runSchema = z
  .object({
    id: idSchema,
    sessionId: idSchema,
    messageId: idSchema.describe("the message that the run answers"),
    status: runStatusSchema,
    provider: z.string().nullable(),
    model: z.string().nullable(),
    settings: runSettingsSchema.optional().describe("mode and options that its message chose"),
    attempts: countSchema.describe("how many times the message was given to an agent"),
    stopReason: z.string().nullable(),
    error: z.unknown().describe("why the run did not complete: {code, message, detail}, or null"),
    usage: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe("tokens and cost, as the agent reported them"),
    memory: runMemorySchema
      .nullable()
      .describe("how the agent knew the earlier conversation; null until it received the message"),
    unusedAnswers: z
      .array(unusedAnswerSchema)
      .default([])
      .describe(
        "actions that a person allowed after the agent that asked had exited, and that no later agent carried out; known when the run has ended",
      ),
    changes: changeCountsSchema
      .nullable()
      .default(null)
      .describe("what changed in the working files during the run; null if it is not known"),
    rewoundAt: timeSchema
      .nullable()
      .default(null)
      .describe("when the run was taken back; null if it belongs to the conversation"),
    queuedAt: timeSchema,
    startedAt: timeSchema.nullable(),
    endedAt: timeSchema.nullable(),
  })
  .meta({ id: "Run", description: "One agent working on one message." });
export type Run = z.infer<typeof runSchema>;

export const runsQuerySchema = z.object({
  status: listOf(runStatusSchema).optional().describe("comma-separated"),
  limit: limitSchema(LIMITS.pageSize, 20),
  cursor: z.string().min(1).max(LIMITS.cursorLength).optional(),
});
export type RunsQuery = z.infer<typeof runsQuerySchema>;

/** A suspension in the list of runs, in short form. */
export const runSuspensionSchema = z
  .object({
    id: idSchema,
    kind: suspensionKindSchema,
    status: suspensionStatusSchema,
    answer: z.unknown().describe("null if there is none, or if it is longer than 1,000 characters"),
    answeredBy: z.string().nullable().describe("who answered, if known"),
    createdAt: timeSchema,
    closedAt: timeSchema.nullable(),
  })
  .meta({ id: "RunSuspension" });
export type RunSuspension = z.infer<typeof runSuspensionSchema>;

export const pastRunSchema = runSchema
  .extend({
    suspensions: z
      .array(runSuspensionSchema)
      .describe("the first 100 suspensions of the run, oldest first"),
  })
  .meta({ id: "PastRun", description: "A run with its suspensions." });
export type PastRun = z.infer<typeof pastRunSchema>;

export const wholeRunSchema = pastRunSchema
  .extend({
    answer: z
      .string()
      .describe(
        "what the agent said since its last tool call in this run, or before it if it said nothing since; without thoughts",
      ),
    answerCut: z
      .boolean()
      .describe(`whether only the end is given: at most ${LIMITS.answerTextLength} characters`),
    step: z.string().nullable().describe("the last tool call of the run; null if there is none"),
  })
  .meta({ id: "WholeRun", description: "A run with its suspensions and the answer of its agent." });
export type WholeRun = z.infer<typeof wholeRunSchema>;

export const runsReplySchema = z
  .object({
    runs: z.array(pastRunSchema).describe("in the order in which they were requested"),
    nextCursor: z.string().nullable().describe("`cursor` of the next page; null on the last page"),
  })
  .meta({ id: "Runs" });
export type RunsReply = z.infer<typeof runsReplySchema>;
