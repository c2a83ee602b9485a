import { z } from "zod";
import { idSchema } from "./fields/identifier.ts";
import { messageContentSchema, messagePartsSchema, messageTextSchema } from "./message.ts";
import { timeSchema } from "./fields/time.ts";

export const queuedMessageSchema = z
  .object({
    messageId: idSchema,
    runId: idSchema,
    content: messageContentSchema,
    provider: z.string().nullable(),
    model: z.string().nullable(),
    queuedAt: timeSchema,
  })
  .meta({ id: "QueuedMessage" });
export type QueuedMessage = z.infer<typeof queuedMessageSchema>;

export const queueReplySchema = z
  .object({ queue: z.array(queuedMessageSchema).describe("in the order of delivery") })
  .meta({ id: "Queue" });
export type QueueReply = z.infer<typeof queueReplySchema>;

export const editQueuedRequestSchema = z
  .strictObject({
    text: messageTextSchema.optional(),
    content: messagePartsSchema.optional(),
    position: z.int().nonnegative().optional().describe("0 is delivered next"),
  })
  .refine(
    ({ text, content, position }) => [text, content, position].some((given) => given !== undefined),
    "give text, content or position",
  )
  .refine(
    ({ text, content }) => text === undefined || content === undefined,
    "give either text or content",
  )
  .meta({ id: "EditQueuedRequest" });
export type EditQueuedRequest = z.infer<typeof editQueuedRequestSchema>;
