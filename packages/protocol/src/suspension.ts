import { z } from "zod";
import { idSchema } from "./fields/identifier.ts";
import { timeSchema } from "./fields/time.ts";

export const SUSPENSION_KINDS = [
  "permission",
  "question",
  "elicitation",
  "tool_result",
  "event",
  "rate_limit",
  "budget",
  "login",
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

/** An open suspension, as part of a session. */
export const openSuspensionSchema = z
  .object({
    id: idSchema,
    kind: suspensionKindSchema,
    request: z
      .record(z.string(), z.unknown())
      .describe("the request; its fields depend on the kind"),
    createdAt: timeSchema,
    expiresAt: timeSchema.nullable().describe("when it expires, which counts as a rejection"),
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
  .meta({ id: "Suspension", description: "Something that a run waits for, open or closed." });
export type Suspension = z.infer<typeof suspensionSchema>;

/** How the permission for a tool call was decided. */
export const decisionSchema = z
  .object({
    suspensionId: idSchema,
    runId: idSchema,
    callId: z.string().describe("`callId` of the tool call"),
    status: z.enum(["answered", "withdrawn", "expired", "released"]),
    chosen: z
      .string()
      .nullable()
      .describe("kind of the chosen option, for example `allow_once`; null if none was chosen"),
    answeredBy: z.string().nullable().describe("who answered, if known"),
    closedAt: timeSchema.nullable(),
  })
  .meta({ id: "Decision", description: "How the permission for a tool call was decided." });
export type Decision = z.infer<typeof decisionSchema>;

/** An action that was allowed but not carried out. */
export const unusedAnswerSchema = z
  .object({
    suspensionId: idSchema,
    title: z.string().describe("the action"),
    answer: z.unknown().describe("the answer"),
  })
  .meta({ id: "UnusedAnswer" });
export type UnusedAnswer = z.infer<typeof unusedAnswerSchema>;

/** Listed until it is dismissed or the session receives its next message. */
export const inboxUnusedAnswerSchema = unusedAnswerSchema
  .extend({
    sessionId: idSchema,
    runId: idSchema,
    at: timeSchema.describe("when the run ended without using it"),
  })
  .meta({ id: "InboxUnusedAnswer" });
export type InboxUnusedAnswer = z.infer<typeof inboxUnusedAnswerSchema>;

export const suspensionsReplySchema = z
  .object({
    suspensions: z.array(suspensionSchema).describe("open suspensions, oldest first"),
    unusedAnswers: z
      .array(inboxUnusedAnswerSchema)
      .default([])
      .describe("actions that were allowed but, as far as known, not carried out; oldest first"),
  })
  .meta({ id: "Suspensions" });
export type SuspensionsReply = z.infer<typeof suspensionsReplySchema>;

/** The request of a permission. Its answer is the ID of an option. */
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

/** The request of an elicitation: the agent asks for the fields of a form, or that a person opens a URL. */
export const elicitationRequestSchema = z
  .looseObject({
    title: z.string().describe("the first line of the message"),
    message: z.string(),
    mode: z.enum(["form", "url"]),
    schema: z
      .record(z.string(), z.unknown())
      .optional()
      .describe("form: the JSON Schema of the content, a flat object"),
    url: z.string().optional().describe("url: the page that the person should open"),
    elicitationId: z.string().optional().describe("url: the agent's own ID"),
    toolCallId: z.string().nullish().describe("the tool call that needs the answer"),
  })
  .meta({ id: "ElicitationRequest" });
export type ElicitationRequest = z.infer<typeof elicitationRequestSchema>;

/** The answer to an elicitation. A field without a value is left out of `content`. */
export const elicitationAnswerSchema = z
  .discriminatedUnion("action", [
    z.strictObject({
      action: z.literal("accept"),
      content: z
        .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]))
        .optional()
        .describe("form: the values of the fields; absent for a URL"),
    }),
    z.strictObject({ action: z.literal("decline") }),
    z.strictObject({ action: z.literal("cancel") }),
  ])
  .meta({ id: "ElicitationAnswer" });
export type ElicitationAnswer = z.infer<typeof elicitationAnswerSchema>;
