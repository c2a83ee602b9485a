import { isObject } from "@holdfast/client";
import type { QueuedMessage } from "@holdfast/protocol";

/** Where a message goes when it is moved by so many places; null when it cannot go further. */
export function movedPosition(
  queue: readonly Pick<QueuedMessage, "messageId">[],
  messageId: string,
  by: number,
): number | null {
  const at = queue.findIndex((each) => each.messageId === messageId);
  if (at === -1) return null;
  const position = Math.max(0, Math.min(queue.length - 1, at + by));
  return position === at ? null : position;
}

/** The queue as it will be, to be shown until the server has said so. */
export function withMoved<Item extends Pick<QueuedMessage, "messageId">>(
  queue: readonly Item[],
  messageId: string,
  position: number,
): readonly Item[] {
  const item = queue.find((each) => each.messageId === messageId);
  if (item === undefined) return queue;
  return queue.filter((each) => each !== item).toSpliced(position, 0, item);
}

/** The text of a message that waits; null where it has parts, which are not edited here. */
export function queuedText({ content }: Pick<QueuedMessage, "content">): string | null {
  return content.type === "text" && typeof content["text"] === "string" ? content["text"] : null;
}

/** Some words for a message that has no text of its own. */
export function queuedWords(message: Pick<QueuedMessage, "content">): string {
  const text = queuedText(message);
  if (text !== null) return text;
  const { parts } = message.content;
  const words = Array.isArray(parts) ? parts.flatMap(partText) : [];
  return words.length === 0 ? "A message in parts" : words.join("\n");
}

function partText(part: unknown): readonly string[] {
  return isObject(part) && typeof part["text"] === "string" ? [part["text"]] : [];
}
