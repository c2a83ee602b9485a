import type { Journal, JournalDirection } from "../../journal.ts";

/** What a spare agent says while it starts is little. */
const MAX_EARLY = 100;

/** A journal that keeps its first entries until it is known where they belong. */
export interface LateJournal extends Journal {
  begin(journal: Journal | null): void;
}

export function createLateJournal(): LateJournal {
  let early: (readonly [JournalDirection, string])[] = [];
  let journal: Journal | null = null;
  let hasBegun = false;
  return {
    write: (direction, line) => {
      if (hasBegun) journal?.write(direction, line);
      else if (early.length < MAX_EARLY) early.push([direction, line]);
    },
    begin: (given) => {
      journal = given;
      hasBegun = true;
      for (const [direction, line] of early) journal?.write(direction, line);
      early = [];
    },
    close: async () => journal?.close(),
    get dropped() {
      return journal?.dropped ?? 0;
    },
  };
}
