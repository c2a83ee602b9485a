import { z } from "zod";
import { ANSWER_WITHIN_LIMITS, orEmpty } from "../fields/body.ts";
import { countSchema } from "../fields/number.ts";
import { AGENT_LIMITS } from "./agent-tools.ts";
import { idSchema } from "../fields/identifier.ts";
import { problemCodeSchema } from "../problem.ts";

export const eventParamsSchema = z.object({
  name: z.string().trim().min(1).max(AGENT_LIMITS.eventNameLength),
});

export const reportEventRequestSchema = orEmpty(
  z
    .strictObject({
      answer: z.unknown().optional().describe("payload of the event; null by default"),
    })
    .refine(...ANSWER_WITHIN_LIMITS)
    .meta({ id: "ReportEventRequest" }),
);
export type ReportEventRequest = z.infer<typeof reportEventRequestSchema>;

export const reportedSessionSchema = z
  .object({
    sessionId: idSchema,
    suspensionId: idSchema,
    answered: z.boolean(),
    problem: z
      .object({ code: problemCodeSchema, detail: z.string() })
      .nullable()
      .describe("why the session was not answered"),
  })
  .meta({ id: "ReportedSession" });
export type ReportedSession = z.infer<typeof reportedSessionSchema>;

export const reportEventReplySchema = z
  .object({
    event: z.string(),
    answered: countSchema.describe("number of runs that continue"),
    sessions: z
      .array(reportedSessionSchema)
      .describe("all sessions that waited for the event, oldest suspension first"),
  })
  .meta({ id: "ReportedEvent" });
export type ReportEventReply = z.infer<typeof reportEventReplySchema>;
