import { z } from "zod";
import { idSchema } from "./fields/identifier.ts";
import { byteLength, isJsonWithin, LIMITS } from "./fields/limits.ts";
import { timeInputSchema, timeSchema } from "./fields/time.ts";

export const ROLES = ["user", "agent", "system"] as const;
export const roleSchema = z.enum(ROLES);
export type Role = z.infer<typeof roleSchema>;

const grows = z
  .boolean()
  .optional()
  .describe("true while more text is to come, false once the text is whole");

export const textContentSchema = z
  .looseObject({
    type: z.literal("text"),
    text: z.string(),
    partial: grows,
    notice: z.string().optional().describe("what the server says about a run or the session"),
  })
  .meta({ id: "TextContent" });
export type TextContent = z.infer<typeof textContentSchema>;

export const thoughtContentSchema = z
  .looseObject({ type: z.literal("thought"), text: z.string(), partial: grows })
  .meta({ id: "ThoughtContent" });
export type ThoughtContent = z.infer<typeof thoughtContentSchema>;

export const planContentSchema = z
  .looseObject({ type: z.literal("plan"), steps: z.array(z.unknown()) })
  .meta({ id: "PlanContent", description: "What an agent is going to do. Its role is `system`." });
export type PlanContent = z.infer<typeof planContentSchema>;

export const toolContentSchema = z
  .looseObject({
    type: z.literal("tool"),
    tool: z.string().describe("the tool's name"),
    args: z.unknown(),
    result: z.unknown(),
    callId: z.string().optional(),
    title: z.string().nullish(),
    kind: z.string().nullish().describe("read, edit, execute, … as the agent says"),
    status: z
      .string()
      .nullish()
      .describe(
        "pending, in_progress, completed, failed, cancelled, or unfinished: it had not ended when its run did",
      ),
    locations: z.array(z.unknown()).nullish(),
    output: z.unknown().optional(),
  })
  .meta({ id: "ToolContent", description: "A tool call of an agent. Its role is `system`." });
export type ToolContent = z.infer<typeof toolContentSchema>;

export const otherContentSchema = z
  .looseObject({ type: z.string() })
  .meta({ id: "OtherContent", description: "A type this version does not know." });
export type OtherContent = z.infer<typeof otherContentSchema>;

const knownContentSchema = z.union([
  textContentSchema,
  thoughtContentSchema,
  planContentSchema,
  toolContentSchema,
]);
export type KnownContent = z.infer<typeof knownContentSchema>;

/** Open: agents and later versions say things that have no name here yet. */
export const messageContentSchema = z
  .union([...knownContentSchema.options, otherContentSchema])
  .meta({ id: "MessageContent" });
export type MessageContent = z.infer<typeof messageContentSchema>;

/** The content as one of the known types, to switch over; null when it is none of them. */
export function parseKnownContent(content: unknown): KnownContent | null {
  return knownContentSchema.safeParse(content).data ?? null;
}

export const messageSchema = z
  .object({
    id: idSchema,
    sessionId: idSchema,
    runId: idSchema.nullable(),
    seq: z.int().nonnegative().describe("its place in the session"),
    role: roleSchema.describe(
      "who says it; `system` for notices, and for the plans and tool calls of agents",
    ),
    content: messageContentSchema,
    complete: z.boolean().describe("false while it can still change"),
    timestamp: timeSchema.describe(
      "when it was said; of a message that waited, when it was accepted",
    ),
  })
  .meta({ id: "Message" });
export type Message = z.infer<typeof messageSchema>;

/** Who a message comes from: plans and tool calls have the role `system`, as notices do, and are the agent's. */
export function authorOf({
  role,
  content: { type },
}: {
  readonly role: Role;
  readonly content: { readonly type: string };
}): Role {
  return role === "system" && (type === "plan" || type === "tool") ? "agent" : role;
}

export const messagesQuerySchema = z.object({
  since: timeInputSchema
    .optional()
    .describe(
      "said later than this time, or delivered later: a message that waited has the time it was acknowledged at. `after` neither skips nor repeats",
    ),
  after: z.coerce.number().int().nonnegative().optional().describe("after this seq"),
  limit: z.coerce.number().int().min(1).max(LIMITS.messagePageSize).default(LIMITS.messagePageSize),
});
export type MessagesQuery = z.infer<typeof messagesQuerySchema>;

export const messagesReplySchema = z
  .object({
    messages: z.array(messageSchema),
    nextAfter: z
      .int()
      .nonnegative()
      .describe("`after` of the next page; never beyond a message that can still change"),
  })
  .meta({ id: "Messages" });
export type MessagesReply = z.infer<typeof messagesReplySchema>;

/** What a user says. */
export const messageTextSchema = z
  .string()
  .regex(/\S/u, "must not be empty")
  .refine((text) => byteLength(text) <= LIMITS.messageBytes, "must be at most 1 MiB");

export const messagePartsSchema = z
  .array(
    z
      .looseObject({ type: z.string().min(1).max(LIMITS.nameLength) })
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

export const ONE_OF_TEXT_AND_CONTENT = "give either text or content";

export function hasOneOfTextAndContent(body: { text?: unknown; content?: unknown }): boolean {
  return (body.text === undefined) !== (body.content === undefined);
}
