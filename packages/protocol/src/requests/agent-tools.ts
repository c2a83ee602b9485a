import { z } from "zod";
import { phaseSchema } from "../session.ts";

/** Limits of the requests that agents send through their tools. */
export const AGENT_LIMITS = {
  questionLength: 10_000,
  options: 20,
  optionLength: 500,
  eventNameLength: 200,
  /** A year. */
  expiresInMinutes: 525_600,
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

export const agentMcpMessageSchema = z
  .unknown()
  .describe("a message of MCP, which is JSON-RPC 2.0");
