import { z } from "zod";
import { LIMITS } from "../fields/limits.ts";
import {
  hasOneOfTextAndContent,
  messagePartsSchema,
  messageSchema,
  messageTextSchema,
  ONE_OF_TEXT_AND_CONTENT,
} from "../message.ts";
import { runSchema } from "../run.ts";
import { sessionSchema } from "../session.ts";

/** What the sender of one message wants when the session is busy. */
export const DELIVERY_MODES = ["queue", "reject", "interrupt"] as const;
export const deliveryModeSchema = z.enum(DELIVERY_MODES);
export type DeliveryMode = z.infer<typeof deliveryModeSchema>;

/** How much memory the agent must have: the best available, the whole or nothing, or none. */
export const CONTINUITY_POLICIES = ["auto", "required", "off"] as const;
export const continuityPolicySchema = z.enum(CONTINUITY_POLICIES);
export type ContinuityPolicy = z.infer<typeof continuityPolicySchema>;

export const sendMessageRequestSchema = z
  .strictObject({
    text: messageTextSchema.optional(),
    content: messagePartsSchema.optional().describe("parts, in place of text"),
    provider: z.string().min(1).max(LIMITS.nameLength).nullish().describe("for this run"),
    provider_id: z
      .string()
      .min(1)
      .max(LIMITS.nameLength)
      .nullish()
      .describe("another name of `provider`; give one of them"),
    model: z.string().min(1).max(LIMITS.nameLength).nullish().describe("for this run"),
    delivery: deliveryModeSchema.default("queue").describe("when the session is busy"),
    continuity: continuityPolicySchema.default("auto"),
  })
  .refine(hasOneOfTextAndContent, ONE_OF_TEXT_AND_CONTENT)
  .refine((body) => body.provider == null || body.provider_id == null, {
    path: ["provider_id"],
    message: "give either provider or provider_id",
  })
  .meta({ id: "SendMessageRequest" });
/** As a client writes it: what has a default may be left out. */
export type SendMessageRequest = z.input<typeof sendMessageRequestSchema>;

export const promptRequestSchema = z
  .strictObject({ text: messageTextSchema })
  .meta({ id: "PromptRequest" });
export type PromptRequest = z.infer<typeof promptRequestSchema>;

export const sendMessageReplySchema = z
  .object({
    message: messageSchema
      .omit({ seq: true })
      .meta({ id: "SentMessage", description: "It takes its seq when it is delivered." }),
    run: runSchema,
    queued: z.boolean().describe("false when its run began at once"),
    position: z.int().nonnegative().nullable().describe("its place in the queue, 0 next"),
    waitsFor: z
      .string()
      .nullable()
      .describe("why it waits although its session is idle, in a sentence"),
  })
  .meta({ id: "SendMessageReply" });
export type SendMessageReply = z.infer<typeof sendMessageReplySchema>;

export const createSessionReplySchema = sessionSchema
  .extend({
    sent: sendMessageReplySchema.nullable().describe("what became of the first message"),
  })
  .meta({ id: "CreatedSession" });
export type CreatedSession = z.infer<typeof createSessionReplySchema>;
