import { isObject } from "@holdfast/client";
import type { QueuedMessage } from "@holdfast/protocol";

/** The new position of a moved message; null when it cannot move further. */
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

/** The queue after the move, shown until the server confirms it. */
export function withMoved<Item extends Pick<QueuedMessage, "messageId">>(
  queue: readonly Item[],
  messageId: string,
  position: number,
): readonly Item[] {
  const item = queue.find((each) => each.messageId === messageId);
  if (item === undefined) return queue;
  return queue.filter((each) => each !== item).toSpliced(position, 0, item);
}

/** The text of a queued message; null for one with parts, which cannot be edited here. */
export function queuedText({ content }: Pick<QueuedMessage, "content">): string | null {
  return content.type === "text" && typeof content["text"] === "string" ? content["text"] : null;
}

/** The displayed text of a queued message. */
export function queuedWords(message: Pick<QueuedMessage, "content">): string {
  const text = queuedText(message);
  if (text !== null) return text;
  const { parts } = message.content;
  const words = Array.isArray(parts) ? parts.flatMap(partText) : [];
  return words.length === 0 ? "A message in parts" : words.join("\n");
}

function partText(part: unknown): readonly string[] {
  if (!isObject(part)) return [];
  const { type, text, name } = part;
  const words = type === "text" ? text : name;
  return typeof words === "string" ? [words] : [];
}
