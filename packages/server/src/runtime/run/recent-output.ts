import { StorageFault } from "../../storage/fault.ts";
import type { Appended, Output } from "../../storage/store.ts";

/** Output that is stored together. */
export interface OutputBatch extends Pick<Output, "items" | "at"> {
  /** Approximate number of characters. */
  readonly size: number;
}

export interface RecentOutput {
  add(batch: OutputBatch, stored: Appended): void;
  /** The output that was stored after this sequence number. Throws when some of it is no longer kept. */
  after(seq: number): readonly OutputBatch[];
}

/** PostgreSQL writes commits that are not durable to the disk within 0.6 s. */
const KEPT_MS = 2_000;
const MAX_SIZE = 1024 * 1024;

/**
 * Keeps the newest output that the database has confirmed. Streamed output is not durable at once: a database that crashes
 * can lose the newest part, which is then stored again.
 */
export function createRecentOutput(): RecentOutput {
  const kept: { batch: OutputBatch; firstSeq: number; storedAt: number }[] = [];
  let size = 0;
  return {
    add(batch, { firstSeq }) {
      const storedAt = performance.now();
      kept.push({ batch, firstSeq, storedAt });
      size += batch.size;
      for (let oldest = kept[0]; oldest !== undefined; oldest = kept[0]) {
        if (size <= MAX_SIZE && oldest.storedAt >= storedAt - KEPT_MS) return;
        kept.shift();
        size -= oldest.batch.size;
      }
    },
    after(seq) {
      const lost = kept.filter(({ firstSeq }) => firstSeq > seq);
      if (lost[0]?.firstSeq !== seq + 1)
        throw new StorageFault("database_error", "The database lost output that it had confirmed.");
      return lost.map(({ batch }) => batch);
    },
  };
}
