import type { SessionEvent } from "../../domain/kernel/event.ts";
import type { Message } from "../../domain/message.ts";
import { unlessUnreadable } from "../rows/parse.ts";
import { fromRunRow } from "../rows/run-row.ts";
import type { Run } from "../ports/run-store.ts";
import type { Written } from "../ports/session-store.ts";
import type { LogEntry } from "../ports/transcript-store.ts";
import type { EventRow, RunRow } from "../tables.ts";
import type { Transaction } from "./transaction.ts";
import { runWrite } from "../prepared.ts";

/** The log entries of one write, numbered from the session's last entry. */
export class EventLog {
  readonly sessionId: string;
  readonly firstSeq: number;
  readonly written = new WrittenItems();
  #lastSeq: number;
  #pending: EventRow[] = [];

  constructor(sessionId: string, lastSeq: number) {
    this.sessionId = sessionId;
    this.firstSeq = lastSeq + 1;
    this.#lastSeq = lastSeq;
  }

  /** The number of the next entry. */
  get nextSeq(): number {
    return this.#lastSeq + 1;
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  addEvent(event: SessionEvent): number {
    const { at } = event;
    const seq = this.#add({ at, kind: "event", messageId: null, data: JSON.stringify(event) });
    this.written.addEntry({ kind: "event", seq, at, event });
    return seq;
  }

  /** `message`: as a read returns it; null if its row is unreadable. `characters`: the length of its content. */
  addMessage(id: string, at: number, message: Message | null, characters: number): void {
    const seq = this.#add({ at, kind: "message", messageId: id, data: null });
    if (message === null) this.written.addEntry({ kind: "unreadable", seq, at });
    else this.written.addEntry({ kind: "message", seq, at, message }, characters);
  }

  /** Joins consecutive texts of a message, to store fewer rows. */
  addText(messageId: string, text: string, at: number): void {
    const last = this.#pending.at(-1);
    if (last?.kind === "delta" && last.messageId === messageId) {
      last.data = (last.data ?? "") + text;
    } else {
      this.#add({ at, kind: "delta", messageId, data: text });
    }
  }

  /** The entries that are not stored yet. */
  get pending(): readonly EventRow[] {
    return this.#pending;
  }

  /** Writes the entries added since the last call. */
  async store(transaction: Transaction): Promise<void> {
    const pending = this.#pending;
    this.#pending = [];
    const [only] = pending;
    if (only === undefined) return;
    if (pending.length === 1) return insertOne(transaction, only);
    return transaction.dialect.addEntries(transaction, pending);
  }

  #add(entry: Omit<EventRow, "sessionId" | "seq">): number {
    this.#lastSeq += 1;
    this.#pending.push({ sessionId: this.sessionId, seq: this.#lastSeq, ...entry });
    return this.#lastSeq;
  }
}

async function insertOne(transaction: Transaction, row: EventRow): Promise<void> {
  const { sessionId, seq, at, kind, messageId, data } = row;
  await runWrite(
    transaction,
    `insert into "SessionEvent" ("sessionId", "seq", "at", "kind", "messageId", "data") values (?, ?, ?, ?, ?, ?)`,
    [sessionId, seq, at, kind, messageId, data],
  );
}

/** Longer contents are not passed on: a reader may never need them. */
const MAX_CHARACTERS = 64 * 1024;

/** Collects what a change writes, so that nobody has to read it back. */
class WrittenItems {
  readonly #entries: LogEntry[] = [];
  readonly #runs = new Map<string, Run>();
  #characters = 0;

  /** `characters`: the length of the content. */
  addEntry(entry: LogEntry, characters = 0): void {
    this.#characters += characters;
    this.#entries.push(entry);
  }

  /** The row of a run after a write. Null: it was written, but how it is now is not known. */
  addRun(runId: string, row: RunRow | null): void {
    const run = row === null ? undefined : unlessUnreadable(() => fromRunRow(row));
    if (run === undefined) this.#runs.delete(runId);
    else this.#runs.set(runId, run);
  }

  /** Null if it is long. */
  get all(): Written | null {
    if (this.#characters > MAX_CHARACTERS) return null;
    return { entries: this.#entries, runs: [...this.#runs.values()] };
  }
}
