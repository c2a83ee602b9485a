import { z } from "zod";
import { idSchema } from "./fields/identifier.ts";
import { timeSchema } from "./fields/time.ts";

export const SUSPENSION_KINDS = [
  "permission",
  "question",
  "tool_result",
  "event",
  "rate_limit",
  "budget",
  "shutdown",
] as const;
export const suspensionKindSchema = z.enum(SUSPENSION_KINDS);
export type SuspensionKind = z.infer<typeof suspensionKindSchema>;

export const SUSPENSION_STATUSES = [
  "open",
  "answered",
  "withdrawn",
  "expired",
  "released",
] as const;
export const suspensionStatusSchema = z.enum(SUSPENSION_STATUSES);
export type SuspensionStatus = z.infer<typeof suspensionStatusSchema>;

/** What a session waits for, as the session shows it. */
export const openSuspensionSchema = z
  .object({
    id: idSchema,
    kind: suspensionKindSchema,
    request: z.record(z.string(), z.unknown()).describe("what was asked; its kind says how"),
    createdAt: timeSchema,
    expiresAt: timeSchema.nullable().describe("when it closes by itself, as a rejection"),
  })
  .meta({ id: "OpenSuspension" });
export type OpenSuspension = z.infer<typeof openSuspensionSchema>;

export const suspensionSchema = openSuspensionSchema
  .extend({
    sessionId: idSchema,
    runId: idSchema,
    status: suspensionStatusSchema,
    answer: z.unknown(),
    answeredBy: z.string().nullable(),
    closedAt: timeSchema.nullable(),
  })
  .meta({ id: "Suspension", description: "What a run waits for, open or closed." });
export type Suspension = z.infer<typeof suspensionSchema>;

/** What was allowed and not done. */
export const unusedAnswerSchema = z
  .object({
    suspensionId: idSchema,
    title: z.string().describe("names the action"),
    answer: z.unknown().describe("what was answered"),
  })
  .meta({ id: "UnusedAnswer" });
export type UnusedAnswer = z.infer<typeof unusedAnswerSchema>;

/** Shown until somebody dismisses it or sends the session's next message. */
export const inboxUnusedAnswerSchema = unusedAnswerSchema
  .extend({
    sessionId: idSchema,
    runId: idSchema,
    at: timeSchema.describe("when the run ended without it"),
  })
  .meta({ id: "InboxUnusedAnswer" });
export type InboxUnusedAnswer = z.infer<typeof inboxUnusedAnswerSchema>;

export const suspensionsReplySchema = z
  .object({
    suspensions: z.array(suspensionSchema).describe("open ones, oldest first"),
    unusedAnswers: z
      .array(inboxUnusedAnswerSchema)
      .default([])
      .describe("actions that were allowed and not done, as far as can be seen, oldest first"),
  })
  .meta({ id: "Suspensions" });
export type SuspensionsReply = z.infer<typeof suspensionsReplySchema>;

/** What the request of a permission holds: `answer` is the chosen option's id. */
export const permissionRequestSchema = z
  .looseObject({
    title: z.string(),
    toolCallId: z.string().nullable(),
    kind: z.string().nullable(),
    input: z.unknown(),
    options: z.array(z.looseObject({ optionId: z.string(), name: z.string(), kind: z.string() })),
  })
  .meta({ id: "PermissionRequest" });
export type PermissionRequest = z.infer<typeof permissionRequestSchema>;
