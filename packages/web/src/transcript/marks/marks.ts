import type { Entry } from "../entries.ts";
import { type MarkRow, markRow } from "../rows.ts";

export interface Marks {
  /** The rows that stand before an entry. */
  before(entries: readonly Entry[], index: number): readonly MarkRow[];
  /** Looks for the first new message. Only messages that were there at the first visit count. */
  look(entries: readonly Entry[], isFirst: boolean): void;
}

/** The lines between days, and the line above what is new. */
export function createMarks({
  seenAt,
  today,
}: {
  /** When this browser last showed the session; null for never. */
  readonly seenAt: string | null;
  /** A transcript that begins on another day begins with that day; null: never. */
  readonly today: Date | null;
}): Marks {
  let newId: string | null = null;
  /** All loaded messages are new: the first one is not loaded yet. */
  let isOlder = false;
  return {
    before(entries, index) {
      const message = entries[index]?.message;
      if (message === undefined) return [];
      const { id, timestamp } = message;
      const previous = entries[index - 1]?.message.timestamp ?? today;
      const isNewDay = previous !== null && dayOf(previous) !== dayOf(timestamp);
      return [
        ...(isNewDay ? [markRow("day", id, timestamp)] : []),
        ...(id === newId && seenAt !== null ? [markRow("new", id, seenAt)] : []),
      ];
    },
    look(entries, isFirst) {
      if (seenAt === null || (!isFirst && !isOlder)) return;
      const at = entries.findIndex(({ message }) => message.timestamp > seenAt);
      isOlder = at === 0;
      newId = at > 0 ? (entries[at]?.message.id ?? null) : null;
    },
  };
}

function dayOf(time: string | Date): string {
  return new Date(time).toDateString();
}
