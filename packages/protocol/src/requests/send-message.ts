import { z } from "zod";
import { nameSchema, TEXT_OR_CONTENT } from "../fields/body.ts";
import { modeInputSchema, optionsInputSchema } from "./agent-options.ts";
import { countSchema } from "../fields/number.ts";
import { messagePartsSchema, messageSchema, messageTextSchema } from "../message.ts";
import { runSchema } from "../run.ts";
import { sessionSchema } from "../session.ts";

/** How a message is delivered to a busy session. */
export const DELIVERY_MODES = ["queue", "reject", "interrupt", "steer"] as const;
export const deliveryModeSchema = z.enum(DELIVERY_MODES);
export type DeliveryMode = z.infer<typeof deliveryModeSchema>;

/** The memory that the agent must have: the best available, the complete history or an error, or none. */
export const CONTINUITY_POLICIES = ["auto", "required", "off"] as const;
export const continuityPolicySchema = z.enum(CONTINUITY_POLICIES);
export type ContinuityPolicy = z.infer<typeof continuityPolicySchema>;

export const sendMessageRequestSchema = z
  .strictObject({
    text: messageTextSchema.optional(),
    content: messagePartsSchema.optional().describe("message parts, instead of text"),
    provider: nameSchema.nullish().describe("only for this run"),
    provider_id: nameSchema.nullish().describe("alias of `provider`"),
    model: nameSchema.nullish().describe("only for this run"),
    mode: modeInputSchema
      .nullish()
      .describe("only for this run; needs the scope approve, like options"),
    options: optionsInputSchema.optional().describe("only for this run"),
    delivery: deliveryModeSchema.default("queue").describe("what to do if the session is busy"),
    continuity: continuityPolicySchema.default("auto"),
  })
  .refine(...TEXT_OR_CONTENT)
  .refine((body) => body.provider == null || body.provider_id == null, {
    path: ["provider_id"],
    message: "must not be given together with provider",
  })
  .meta({ id: "SendMessageRequest" });
/** The request as clients write it: fields with a default are optional. */
export type SendMessageRequest = z.input<typeof sendMessageRequestSchema>;

export const promptRequestSchema = z
  .strictObject({ text: messageTextSchema })
  .meta({ id: "PromptRequest" });
export type PromptRequest = z.infer<typeof promptRequestSchema>;

export const sendMessageReplySchema = z
  .object({
    message: messageSchema
      .omit({ seq: true })
      .meta({ id: "SentMessage", description: "A message that has no seq until it is delivered." }),
    run: runSchema,
    queued: z.boolean().describe("false if the run started at once"),
    position: countSchema.nullable().describe("position in the queue; 0 is next"),
    waitsFor: z
      .string()
      .nullable()
      .describe("why the message waits although the session is idle, as a sentence"),
    injected: z
      .boolean()
      .optional()
      .describe("with delivery `steer`: true if the running agent took the message into its run"),
    steering: z
      .enum(["injected", "queued", "pending", "unknown"])
      .optional()
      .describe(
        "with delivery `steer`: `pending` if the agent has not replied yet, `unknown` if nobody knows whether it got the message",
      ),
  })
  .meta({ id: "SendMessageReply" });
export type SendMessageReply = z.infer<typeof sendMessageReplySchema>;

export const createSessionReplySchema = sessionSchema
  .extend({
    sent: sendMessageReplySchema.nullable().describe("the result of sending the first message"),
  })
  .meta({ id: "CreatedSession" });
export type CreatedSession = z.infer<typeof createSessionReplySchema>;
