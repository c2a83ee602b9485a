import type { FeedEventName } from "@holdfast/protocol";
import type { FeedChange } from "../../runtime/feeds/feed.ts";
import type { FeedItem } from "../../runtime/runtime.ts";
import { toWireRun } from "../wire/run-wire.ts";
import { toWireMessage, toWireQueue, toWireSession, toWireSuspension } from "../wire/to-wire.ts";
import { toTime } from "../wire/to-time.ts";

/** Encodes feed items. Each is encoded once, however many clients read it. */
export function createEventEncoder(): (item: FeedItem) => Buffer {
  const encoded = new WeakMap<FeedItem, Buffer>();
  return (item) => {
    const cached = encoded.get(item);
    if (cached !== undefined) return cached;
    const bytes = Buffer.from(encode(item));
    encoded.set(item, bytes);
    return bytes;
  };
}

function encode({ position, change }: FeedItem): string {
  const [name, data] = toWireEvent(change);
  const id = position === null ? "" : `id: ${position}\n`;
  return `${id}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

function toWireEvent(change: FeedChange): readonly [FeedEventName, unknown] {
  switch (change.type) {
    case "message":
      return ["message", toWireMessage(change.message)];
    case "delta":
      return ["delta", { messageId: change.messageId, text: change.text }];
    case "run":
      return ["run", toWireRun(change.run)];
    case "session":
      return ["session", toWireSession(change.session)];
    case "suspension":
      return ["suspension", toWireSuspension(change.suspension)];
    case "queue":
      return ["queue", toWireQueue(change)];
    case "phase":
      return ["phase", { from: change.from, to: change.to, at: toTime(change.at) }];
    case "deleted":
      return ["session", { id: change.sessionId, deleted: true }];
    case "reset":
      return ["reset", {}];
    default:
      return change satisfies never;
  }
}
