import { z } from "zod";
import { countInputSchema } from "./fields/number.ts";
import { idSchema } from "./fields/identifier.ts";
import { messageSchema } from "./message.ts";
import { queueReplySchema } from "./queue.ts";
import { runSchema } from "./run.ts";
import { phaseChangeSchema, sessionSchema } from "./session.ts";
import { suspensionSchema } from "./suspension.ts";

/** Text to append to an incomplete message. */
export const deltaSchema = z
  .object({ messageId: idSchema, text: z.string() })
  .meta({ id: "Delta" });
export type Delta = z.infer<typeof deltaSchema>;

/** The last `session` event of a session. */
export const deletedSessionSchema = z
  .object({ id: idSchema, deleted: z.literal(true) })
  .meta({ id: "DeletedSession" });
export type DeletedSession = z.infer<typeof deletedSessionSchema>;

/** The `data:` of each event. A delta adds text; all others replace what the reader has. */
export const FEED_EVENTS = {
  message: messageSchema,
  delta: deltaSchema,
  run: runSchema,
  session: z.union([sessionSchema, deletedSessionSchema]),
  suspension: suspensionSchema,
  queue: queueReplySchema,
  phase: phaseChangeSchema,
  /** On the stream of all sessions: events were missed, so the reader must fetch its data again. */
  reset: z.object({}),
} as const;
export type FeedEventName = keyof typeof FEED_EVENTS;

function event<Name extends string, Data extends z.ZodType>(type: Name, data: Data) {
  return z.object({ type: z.literal(type), data });
}

/** A parsed event. A deletion has its own type. */
const feedEventSchema = z.discriminatedUnion("type", [
  event("message", messageSchema),
  event("delta", deltaSchema),
  event("run", runSchema),
  event("session", sessionSchema),
  event("suspension", suspensionSchema),
  event("queue", queueReplySchema),
  event("phase", phaseChangeSchema),
  event("deleted", deletedSessionSchema),
  event("reset", z.object({})),
]);
export type FeedEvent = Readonly<z.infer<typeof feedEventSchema>>;

/** Null for an unknown event name: later servers may send more. */
export function parseFeedEvent(name: string, data: unknown): FeedEvent | null {
  if (!Object.hasOwn(FEED_EVENTS, name)) return null;
  const isDeletion = name === "session" && deletedSessionSchema.safeParse(data).success;
  return feedEventSchema.parse({ type: isDeletion ? "deleted" : name, data });
}

export const eventsQuerySchema = z.object({
  after: countInputSchema
    .optional()
    .describe("the last seq that the client has; the header Last-Event-ID takes precedence"),
});
export type EventsQuery = z.infer<typeof eventsQuerySchema>;

export const allEventsQuerySchema = z.object({
  after: z.string().min(1).max(200).optional().describe("ID of the last event that the client has"),
});
export type AllEventsQuery = z.infer<typeof allEventsQuerySchema>;
