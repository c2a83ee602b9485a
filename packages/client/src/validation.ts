import type * as protocol from "@holdfast/protocol";
import type { FeedEvent } from "@holdfast/protocol";
import { isObject } from "./helpers.ts";

/** The name of a schema in the protocol. */
export type ReplyName = Extract<keyof typeof protocol, `${string}Schema`>;
export type Reply<Name extends ReplyName> = ReturnType<(typeof protocol)[Name]["parse"]>;

/** Decides whether the server's replies and events are what the client's types say. */
export interface Validation {
  /** Undefined when the body does not fit. */
  reply<Name extends ReplyName>(name: Name, body: unknown): Reply<Name> | undefined;
  /** Null for an event of a newer server. Throws when the data does not fit. */
  event(name: string, data: unknown): FeedEvent | null;
}

/** The fields without which an event cannot be applied. */
const EVENT_FIELDS: Readonly<Record<FeedEvent["type"], readonly string[]>> = {
  message: ["id", "seq", "role", "content"],
  delta: ["messageId", "text"],
  run: ["id", "status", "queuedAt"],
  session: ["id", "suspensions", "phaseHistory"],
  suspension: ["id", "kind", "status", "request"],
  queue: ["queue"],
  phase: ["from", "to", "at"],
  deleted: ["id"],
  reset: [],
};
const FIELDS_BY_EVENT: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(EVENT_FIELDS),
);

/**
 * Validates the outer shape only, without the schemas and the library they need. For a page that is
 * served by the server it talks to.
 */
export const shapeValidation: Validation = {
  reply: <Name extends ReplyName>(name: Name, body: unknown) =>
    isReply<Reply<Name>>(name, body) ? body : undefined,
  event: (name, data) => {
    const isDeletion = name === "session" && isObject(data) && data["deleted"] === true;
    const event = { type: isDeletion ? "deleted" : name, data };
    return isFeedEvent(event) ? event : null;
  },
};

function isReply<Body>(name: ReplyName, body: unknown): body is Body {
  if (!isObject(body)) return false;
  return (
    name !== "problemSchema" ||
    (typeof body["code"] === "string" && typeof body["detail"] === "string")
  );
}

function isFeedEvent(event: { type: string; data: unknown }): event is FeedEvent {
  const { type, data } = event;
  const fields = FIELDS_BY_EVENT.get(type);
  if (fields === undefined) return false;
  if (!isObject(data) || fields.some((field) => data[field] === undefined))
    throw new TypeError(`The event "${type}" lacks required fields.`);
  return true;
}
