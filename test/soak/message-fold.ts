/** A checksum of a session's messages, independent of their order. */
export interface MessageFold {
  readonly count: number;
  readonly sum: number;
}

export const NOTHING_SEEN: MessageFold = { count: 0, sum: 0 };

export interface FoldedMessage {
  readonly id: string;
  readonly content: Readonly<Record<string, unknown>>;
}

export function foldMessage({ count, sum }: MessageFold, message: FoldedMessage): MessageFold {
  const text = typeof message.content["text"] === "string" ? message.content["text"] : "";
  return { count: count + 1, sum: (sum + hashOf(message.id + text)) >>> 0 };
}

/** The hash function FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}
