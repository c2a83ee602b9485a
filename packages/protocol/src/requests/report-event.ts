import { z } from "zod";
import { AGENT_LIMITS } from "./agent-tools.ts";
import { orEmpty } from "../fields/empty-body.ts";
import { idSchema } from "../fields/identifier.ts";
import { isJsonWithin, LIMITS } from "../fields/limits.ts";
import { problemCodeSchema } from "../problem.ts";

export const eventParamsSchema = z.object({
  name: z.string().trim().min(1).max(AGENT_LIMITS.eventNameLength),
});

export const reportEventRequestSchema = orEmpty(
  z
    .strictObject({
      answer: z.unknown().optional().describe("what the event brings; null unless given"),
    })
    .refine(({ answer }) => isJsonWithin(answer, LIMITS.answerBytes), {
      path: ["answer"],
      message: `must be at most 1 MiB of JSON, nested at most ${LIMITS.jsonDepth} deep`,
    })
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
      .describe("why it was not answered"),
  })
  .meta({ id: "ReportedSession" });
export type ReportedSession = z.infer<typeof reportedSessionSchema>;

export const reportEventReplySchema = z
  .object({
    event: z.string(),
    answered: z.int().nonnegative().describe("how many runs go on with it"),
    sessions: z
      .array(reportedSessionSchema)
      .describe("every session that waited for the event, oldest question first"),
  })
  .meta({ id: "ReportedEvent" });
export type ReportEventReply = z.infer<typeof reportEventReplySchema>;
