import { isDeepStrictEqual } from "node:util";
import { foldMessage, NOTHING_SEEN, type FoldedMessage, type MessageFold } from "./message-fold.ts";
import { readStamps, type Stamp } from "./soak-work.ts";

/** One event as it came over the wire. */
export interface Block {
  readonly id: string | null;
  readonly name: string;
  readonly data: string;
}

/** Null for what is no event: a comment, or the time to wait before a reconnect. */
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
 * What one client sees of one session, over all its connections: numbers rise, every piece of a text comes once
 * and in its place, every whole message comes once.
 */
export class SessionSequence {
  readonly violations: string[] = [];
  #lastId = 0;
  #fold = NOTHING_SEEN;
  /** Pieces seen of messages that still grow. */
  readonly #growing = new Map<string, number>();

  get lastId(): number {
    return this.#lastId;
  }

  /** Resolves to the pieces that are new. */
  take({ id, name, data }: Block): readonly Stamp[] {
    if (id !== null) this.#rise(Number(id));
    if (name === "delta") return this.#grow(JSON.parse(data));
    return name === "message" ? this.#replace(JSON.parse(data)) : [];
  }

  /** Whether it has all there is. */
  endsWith(expected: { readonly lastId: number; readonly fold: MessageFold }): boolean {
    const seen = { lastId: this.#lastId, fold: this.#fold };
    if (isDeepStrictEqual(seen, expected)) return true;
    this.violations.push(
      `it ended with ${JSON.stringify(seen)} where ${JSON.stringify(expected)} is stored`,
    );
    return false;
  }

  #rise(id: number): void {
    if (id <= this.#lastId) this.violations.push(`${id} came after ${this.#lastId}`);
    this.#lastId = id;
  }

  #grow({ messageId, text }: { readonly messageId: string; readonly text: string }) {
    const seen = this.#growing.get(messageId) ?? 0;
    const stamps = readStamps(text);
    this.#check(messageId, { stamps, from: seen });
    this.#growing.set(messageId, seen + stamps.length);
    return stamps;
  }

  #replace(message: FoldedMessage & { readonly complete: boolean; readonly role: string }) {
    const { id, content, complete, role } = message;
    if (complete) this.#fold = foldMessage(this.#fold, message);
    if (role !== "agent" || typeof content["text"] !== "string") return [];
    const seen = this.#growing.get(id) ?? 0;
    const stamps = readStamps(content["text"]);
    this.#check(id, { stamps, from: 0 });
    if (stamps.length < seen)
      this.violations.push(`of message ${id}, ${seen} pieces became ${stamps.length}`);
    if (complete) this.#growing.delete(id);
    else this.#growing.set(id, stamps.length);
    return stamps.slice(seen);
  }

  #check(
    id: string,
    { stamps, from }: { readonly stamps: readonly Stamp[]; readonly from: number },
  ) {
    const wrong = stamps.findIndex(({ number }, index) => number !== from + index);
    if (wrong === -1) return;
    this.violations.push(
      `of message ${id}, piece ${stamps[wrong]?.number} came in the place of ${from + wrong}`,
    );
  }
}

/** What one client sees of all sessions: positions of one process, each the next, unless it is told to read again. */
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
