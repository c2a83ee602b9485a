import { z } from "zod";
import { nameSchema } from "./fields/body.ts";
import { countInputSchema, countSchema, limitSchema } from "./fields/number.ts";
import { idSchema } from "./fields/identifier.ts";
import { byteLength, isJsonWithin, LIMITS } from "./fields/limits.ts";
import { decisionSchema } from "./suspension.ts";
import { timeInputSchema, timeSchema } from "./fields/time.ts";
import { ROLES } from "./vocabulary.ts";

export const roleSchema = z.enum(ROLES);
export type Role = z.infer<typeof roleSchema>;

const grows = z.boolean().optional().describe("true while text is still being added");

export const textContentSchema = z
  .looseObject({
    type: z.literal("text"),
    text: z.string(),
    partial: grows,
    notice: z
      .string()
      .optional()
      .describe("kind of a notice by the server about a run or the session"),
  })
  .meta({ id: "TextContent" });
export type TextContent = z.infer<typeof textContentSchema>;

export const thoughtContentSchema = z
  .looseObject({ type: z.literal("thought"), text: z.string(), partial: grows })
  .meta({ id: "ThoughtContent" });
export type ThoughtContent = z.infer<typeof thoughtContentSchema>;

export const planContentSchema = z
  .looseObject({ type: z.literal("plan"), steps: z.array(z.unknown()) })
  .meta({ id: "PlanContent", description: "The plan of an agent. Its role is `system`." });
export type PlanContent = z.infer<typeof planContentSchema>;

export const toolContentSchema = z
  .looseObject({
    type: z.literal("tool"),
    tool: z.string().describe("the tool's name"),
    args: z.unknown(),
    result: z.unknown(),
    callId: z.string().optional(),
    title: z.string().nullish(),
    kind: z.string().nullish().describe("read, edit, execute, …, as reported by the agent"),
    status: z
      .string()
      .nullish()
      .describe(
        "pending, in_progress, completed, failed, cancelled or unfinished; unfinished: the run ended before the call did",
      ),
    locations: z.array(z.unknown()).nullish(),
    output: z.unknown().optional(),
  })
  .meta({ id: "ToolContent", description: "A tool call of an agent. Its role is `system`." });
export type ToolContent = z.infer<typeof toolContentSchema>;

export const otherContentSchema = z
  .looseObject({ type: z.string() })
  .meta({ id: "OtherContent", description: "Content of a type that this version does not know." });
export type OtherContent = z.infer<typeof otherContentSchema>;

const knownContentSchema = z.union([
  textContentSchema,
  thoughtContentSchema,
  planContentSchema,
  toolContentSchema,
]);
export type KnownContent = z.infer<typeof knownContentSchema>;

/** Open for other types, from agents and from later versions. */
export const messageContentSchema = z
  .union([...knownContentSchema.options, otherContentSchema])
  .meta({ id: "MessageContent" });
export type MessageContent = z.infer<typeof messageContentSchema>;

/** The content as one of the known types; null if it is none of them. */
export function parseKnownContent(content: unknown): KnownContent | null {
  return knownContentSchema.safeParse(content).data ?? null;
}

export const messageSchema = z
  .object({
    id: idSchema,
    sessionId: idSchema,
    runId: idSchema.nullable(),
    seq: countSchema.describe("position in the session"),
    role: roleSchema.describe("`system` for notices, and for plans and tool calls of agents"),
    content: messageContentSchema,
    complete: z.boolean().describe("false while the message can still change"),
    timestamp: timeSchema.describe(
      "when the message was written; for a queued message, when it was accepted",
    ),
  })
  .meta({ id: "Message" });
export type Message = z.infer<typeof messageSchema>;

export const messagesQuerySchema = z
  .object({
    since: timeInputSchema
      .optional()
      .describe("only messages written or delivered after this time; use `after` for exact paging"),
    after: countInputSchema.optional().describe("only messages after this seq"),
    before: countInputSchema
      .optional()
      .describe("the last messages before this seq, instead of the first ones"),
    limit: limitSchema(LIMITS.messagePageSize, LIMITS.messagePageSize),
  })
  .refine(({ since, after, before }) => before === undefined || (since ?? after) === undefined, {
    path: ["before"],
    error: "cannot be combined with `after` or `since`",
  });
export type MessagesQuery = z.infer<typeof messagesQuerySchema>;

export const messagesReplySchema = z
  .object({
    messages: z.array(messageSchema),
    decisions: z
      .array(decisionSchema)
      .default([])
      .describe("the last decision on each tool call among the messages"),
    nextAfter: countSchema.describe(
      "`after` of the next page; never past a message that can still change",
    ),
  })
  .meta({ id: "Messages" });
export type MessagesReply = z.infer<typeof messagesReplySchema>;

/** The text of a user's message. */
export const messageTextSchema = z
  .string()
  .regex(/\S/u, "must not be empty")
  .refine((text) => byteLength(text) <= LIMITS.messageBytes, "must be at most 1 MiB");

export const messagePartsSchema = z
  .array(
    z
      .looseObject({ type: nameSchema })
      .refine((part) => part.type !== "text" || typeof part["text"] === "string", {
        path: ["text"],
        message: "must be a string",
      }),
  )
  .min(1)
  .max(LIMITS.messageParts)
  .refine(
    (parts) => isJsonWithin(parts, LIMITS.messageBytes),
    `must be at most 1 MiB and nested at most ${LIMITS.jsonDepth} deep`,
  );
