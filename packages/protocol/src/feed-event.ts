import { z } from "zod";
import { idSchema } from "./fields/identifier.ts";
import { messageSchema, type Message } from "./message.ts";
import { queueReplySchema, type QueueReply } from "./queue.ts";
import { runSchema, type Run } from "./run.ts";
import { phaseChangeSchema, sessionSchema, type PhaseChange, type Session } from "./session.ts";
import { suspensionSchema, type Suspension } from "./suspension.ts";

/** Text to add to a message that is still growing. */
export const deltaSchema = z
  .object({ messageId: idSchema, text: z.string() })
  .meta({ id: "Delta" });
export type Delta = z.infer<typeof deltaSchema>;

/** The last `session` event of a session. */
export const deletedSessionSchema = z
  .object({ id: idSchema, deleted: z.literal(true) })
  .meta({ id: "DeletedSession" });
export type DeletedSession = z.infer<typeof deletedSessionSchema>;

/** What the `data:` of each event name holds. Whole things, to replace what the reader has; deltas add. */
export const FEED_EVENTS = {
  message: messageSchema,
  delta: deltaSchema,
  run: runSchema,
  session: z.union([sessionSchema, deletedSessionSchema]),
  suspension: suspensionSchema,
  queue: queueReplySchema,
  phase: phaseChangeSchema,
  /** On the stream of all sessions: what was missed is not known, read again what is shown. */
  reset: z.object({}),
} as const;
export type FeedEventName = keyof typeof FEED_EVENTS;

/** An event as a reader handles it: a deletion has a type of its own. */
export type FeedEvent =
  | { readonly type: "message"; readonly data: Message }
  | { readonly type: "delta"; readonly data: Delta }
  | { readonly type: "run"; readonly data: Run }
  | { readonly type: "session"; readonly data: Session }
  | { readonly type: "suspension"; readonly data: Suspension }
  | { readonly type: "queue"; readonly data: QueueReply }
  | { readonly type: "phase"; readonly data: PhaseChange }
  | { readonly type: "deleted"; readonly data: DeletedSession }
  | { readonly type: "reset"; readonly data: Readonly<Record<string, never>> };

/** Null for a name this version does not know: later servers may say more. */
export function parseFeedEvent(name: string, data: unknown): FeedEvent | null {
  switch (name) {
    case "message":
      return { type: name, data: FEED_EVENTS.message.parse(data) };
    case "delta":
      return { type: name, data: FEED_EVENTS.delta.parse(data) };
    case "run":
      return { type: name, data: FEED_EVENTS.run.parse(data) };
    case "session": {
      const session = FEED_EVENTS.session.parse(data);
      return "deleted" in session
        ? { type: "deleted", data: session }
        : { type: name, data: session };
    }
    case "suspension":
      return { type: name, data: FEED_EVENTS.suspension.parse(data) };
    case "queue":
      return { type: name, data: FEED_EVENTS.queue.parse(data) };
    case "phase":
      return { type: name, data: FEED_EVENTS.phase.parse(data) };
    case "reset":
      return { type: name, data: {} };
    default:
      return null;
  }
}

export const eventsQuerySchema = z.object({
  after: z.coerce
    .number()
    .int()
    .nonnegative()
    .optional()
    .describe("the last seq seen; Last-Event-ID says the same and wins"),
});
export type EventsQuery = z.infer<typeof eventsQuerySchema>;

export const allEventsQuerySchema = z.object({
  after: z.string().min(1).max(200).optional().describe("the id of the last event seen"),
});
export type AllEventsQuery = z.infer<typeof allEventsQuerySchema>;
