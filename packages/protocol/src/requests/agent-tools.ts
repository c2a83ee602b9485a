import { z } from "zod";
import { countInputSchema, limitSchema } from "../fields/number.ts";
import { LIMITS } from "../fields/limits.ts";
import { phaseSchema } from "../session.ts";
import { timeSchema } from "../fields/time.ts";

/** Limits of the requests that agents send through their tools. */
export const AGENT_LIMITS = {
  questionLength: 10_000,
  options: 20,
  optionLength: 500,
  eventNameLength: 200,
  /** A year. */
  expiresInMinutes: 525_600,
  historyEntries: 100,
} as const;

export const agentPhaseRequestSchema = z
  .strictObject({ phase: phaseSchema })
  .meta({ id: "AgentPhaseRequest" });
export type AgentPhaseRequest = z.infer<typeof agentPhaseRequestSchema>;

export const agentQuestionRequestSchema = z
  .strictObject({
    question: z.string().trim().min(1).max(AGENT_LIMITS.questionLength),
    options: z
      .array(z.string().min(1).max(AGENT_LIMITS.optionLength))
      .max(AGENT_LIMITS.options)
      .optional()
      .describe("suggested answers; the person may give another one"),
  })
  .meta({ id: "AgentQuestionRequest" });
export type AgentQuestionRequest = z.infer<typeof agentQuestionRequestSchema>;

export const agentEventRequestSchema = z
  .strictObject({
    name: z.string().trim().min(1).max(AGENT_LIMITS.eventNameLength),
    description: z.string().max(AGENT_LIMITS.questionLength).optional(),
    expiresInMinutes: z.number().positive().max(AGENT_LIMITS.expiresInMinutes).optional(),
  })
  .meta({ id: "AgentEventRequest" });
export type AgentEventRequest = z.infer<typeof agentEventRequestSchema>;

export const agentHistoryQuerySchema = z.object({
  limit: limitSchema(AGENT_LIMITS.historyEntries, 20),
  after: countInputSchema.optional().describe("only messages after this seq"),
  search: z.string().min(1).max(LIMITS.searchLength).optional(),
});
export type AgentHistoryQuery = z.infer<typeof agentHistoryQuerySchema>;

export const agentHistorySchema = z
  .object({
    messages: z
      .array(
        z.object({
          seq: z.int(),
          role: z.enum(["user", "agent", "system"]),
          timestamp: timeSchema,
          text: z.string(),
          cut: z.int().describe("number of characters cut off at the end"),
        }),
      )
      .describe("in order; the newest ones unless `after` is given"),
    leftOut: z
      .int()
      .describe("number of older messages, or with `after` of newer ones, that are not listed"),
  })
  .meta({ id: "AgentHistory" });
export type AgentHistory = z.infer<typeof agentHistorySchema>;

export const agentMcpMessageSchema = z
  .unknown()
  .describe("a message of MCP, which is JSON-RPC 2.0");
