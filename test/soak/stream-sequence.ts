import { isDeepStrictEqual } from "node:util";
import { foldMessage, NOTHING_SEEN, type FoldedMessage, type MessageFold } from "./message-fold.ts";
import { readStamps, type Stamp } from "./soak-work.ts";

/** One event as received. */
export interface Block {
  readonly id: string | null;
  readonly name: string;
  readonly data: string;
}

/** Null if the block is not an event, but a comment or a retry time. */
export function parseBlock(text: string): Block | null {
  let [id, name, data]: [string | null, string | null, string] = [null, null, ""];
  for (const line of text.split("\n")) {
    if (line.startsWith("data: ")) data = line.slice(6);
    else if (line.startsWith("event: ")) name = line.slice(7);
    else if (line.startsWith("id: ")) id = line.slice(4);
  }
  return name === null ? null : { id, name, data };
}

/**
 * Checks what one client receives of one session over all its connections: sequence numbers increase, every piece of
 * text arrives once and in order, and every complete message arrives once.
 */
export class SessionSequence {
  readonly violations: string[] = [];
  #lastId = 0;
  #fold = NOTHING_SEEN;
  /** Number of pieces of incomplete messages. */
  readonly #pieces = new Map<string, number>();

  get lastId(): number {
    return this.#lastId;
  }

  /** Returns the new pieces. */
  take({ id, name, data }: Block): readonly Stamp[] {
    if (id !== null) this.#checkId(Number(id));
    if (name === "delta") return this.#append(JSON.parse(data));
    return name === "message" ? this.#replace(JSON.parse(data)) : [];
  }

  /** Whether the client has received everything. */
  endsWith(expected: { readonly lastId: number; readonly fold: MessageFold }): boolean {
    const received = { lastId: this.#lastId, fold: this.#fold };
    if (isDeepStrictEqual(received, expected)) return true;
    this.violations.push(
      `the client received ${JSON.stringify(received)}, stored is ${JSON.stringify(expected)}`,
    );
    return false;
  }

  #checkId(id: number): void {
    if (id <= this.#lastId) this.violations.push(`${id} came after ${this.#lastId}`);
    this.#lastId = id;
  }

  #append({ messageId, text }: { readonly messageId: string; readonly text: string }) {
    const count = this.#pieces.get(messageId) ?? 0;
    const stamps = readStamps(text);
    this.#check(messageId, { stamps, from: count });
    this.#pieces.set(messageId, count + stamps.length);
    return stamps;
  }

  #replace(message: FoldedMessage & { readonly complete: boolean; readonly role: string }) {
    const { id, content, complete, role } = message;
    if (complete) this.#fold = foldMessage(this.#fold, message);
    if (role !== "agent" || typeof content["text"] !== "string") return [];
    const count = this.#pieces.get(id) ?? 0;
    const stamps = readStamps(content["text"]);
    this.#check(id, { stamps, from: 0 });
    if (stamps.length < count)
      this.violations.push(`message ${id}: ${count} pieces became ${stamps.length}`);
    if (complete) this.#pieces.delete(id);
    else this.#pieces.set(id, stamps.length);
    return stamps.slice(count);
  }

  #check(
    id: string,
    { stamps, from }: { readonly stamps: readonly Stamp[]; readonly from: number },
  ) {
    const wrong = stamps.findIndex(({ number }, index) => number !== from + index);
    if (wrong === -1) return;
    this.violations.push(
      `message ${id}: got piece ${stamps[wrong]?.number} instead of ${from + wrong}`,
    );
  }
}

/** Checks what one client receives of all sessions: each position follows the previous one, unless there is a reset. */
export class GlobalSequence {
  readonly violations: string[] = [];
  resets = 0;
  #position: string | null = null;

  get lastId(): string | null {
    return this.#position;
  }

  take({ id, name }: Block): void {
    if (id === null) return void this.violations.push(`${name} came without a position`);
    const before = this.#position;
    this.#position = id;
    if (name === "reset") {
      this.resets += 1;
      return;
    }
    if (before !== null && id !== next(before)) this.violations.push(`${id} came after ${before}`);
  }
}

function next(position: string): string {
  const at = position.lastIndexOf(".");
  return `${position.slice(0, at)}.${Number(position.slice(at + 1)) + 1}`;
}
