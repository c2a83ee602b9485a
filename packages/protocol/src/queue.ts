import { z } from "zod";
import { countSchema } from "./fields/number.ts";
import { idSchema } from "./fields/identifier.ts";
import { messageContentSchema, messagePartsSchema, messageTextSchema } from "./message.ts";
import { runSettingsSchema } from "./requests/agent-options.ts";
import { timeSchema } from "./fields/time.ts";

export const queuedMessageSchema = z
  .object({
    messageId: idSchema,
    runId: idSchema,
    content: messageContentSchema,
    provider: z.string().nullable(),
    model: z.string().nullable(),
    settings: runSettingsSchema.optional().describe("mode and options that the message chose"),
    queuedAt: timeSchema,
    steer: z
      .enum(["wanted", "given"])
      .optional()
      .describe("set while the message is being given to the running agent"),
  })
  .meta({ id: "QueuedMessage" });
export type QueuedMessage = z.infer<typeof queuedMessageSchema>;

export const queueReplySchema = z
  .object({ queue: z.array(queuedMessageSchema).describe("in order of delivery") })
  .meta({ id: "Queue" });
export type QueueReply = z.infer<typeof queueReplySchema>;

export const editQueuedRequestSchema = z
  .strictObject({
    text: messageTextSchema.optional(),
    content: messagePartsSchema.optional(),
    position: countSchema.optional().describe("0 is delivered next"),
  })
  .refine(
    ({ text, content, position }) => [text, content, position].some((value) => value !== undefined),
    "must have text, content or position",
  )
  .refine(
    ({ text, content }) => text === undefined || content === undefined,
    "must not have both text and content",
  )
  .meta({ id: "EditQueuedRequest" });
export type EditQueuedRequest = z.infer<typeof editQueuedRequestSchema>;
