import { fromRunRow } from "../rows/run-row.ts";
import { unlessUnreadable } from "../rows/parse.ts";
import type { Written } from "../ports/session-store.ts";
import type { Run } from "../ports/run-store.ts";
import type { LogEntry } from "../ports/transcript-store.ts";
import type { RunRow } from "../tables.ts";

/** Longer contents are not passed on: a reader may never need them. */
const MAX_CHARACTERS = 64 * 1024;

/** Collects what a change writes, so that nobody has to read it back. */
export class WrittenItems {
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
