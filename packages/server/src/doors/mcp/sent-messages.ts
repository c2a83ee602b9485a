import type { EventStore, JSONRPCMessage } from "@modelcontextprotocol/server";

/** Of one connection. */
const MAX_MESSAGES = 256;
const MAX_CHARACTERS = 256 * 1_024;

interface Sent {
  readonly number: number;
  readonly stream: string;
  readonly message: JSONRPCMessage;
  readonly size: number;
}

/** The latest messages of one connection, for a client whose stream was cut. */
export class SentMessages implements EventStore {
  readonly #kept: Sent[] = [];
  #count = 0;
  #size = 0;

  storeEvent(stream: string, message: JSONRPCMessage): Promise<string> {
    this.#count += 1;
    const sent = { number: this.#count, stream, message, size: JSON.stringify(message).length };
    this.#kept.push(sent);
    this.#size += sent.size;
    while (this.#kept.length > MAX_MESSAGES || this.#size > MAX_CHARACTERS)
      this.#size -= this.#kept.shift()?.size ?? 0;
    return Promise.resolve(idOf(sent));
  }

  async replayEventsAfter(
    lastId: string,
    { send }: { readonly send: (id: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const at = lastId.lastIndexOf("/");
    const stream = lastId.slice(0, Math.max(at, 0));
    const after = Number(lastId.slice(at + 1));
    const missed = this.#kept.filter((sent) => sent.stream === stream && sent.number > after);
    for (const sent of missed) if (isMessage(sent.message)) await send(idOf(sent), sent.message);
    return stream;
  }
}

/** The first event of a stream has an ID and no message. */
function isMessage(message: object): boolean {
  return Object.keys(message).length > 0;
}

function idOf({ stream, number }: Pick<Sent, "stream" | "number">): string {
  return `${stream}/${number}`;
}
