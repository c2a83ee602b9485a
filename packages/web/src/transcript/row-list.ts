import { authorOf } from "@holdfast/protocol";
import { type Entry, readEntry } from "./entries.ts";
import { activityRow, blockRows, isActivity, messageRow, type Row } from "./rows.ts";

/** The sections and their rows, in one array that changes in place so that its start is never copied. */
export interface RowList {
  readonly rows: readonly Row[];
  row(key: string): Row | null;
  indexOf(entry: Entry): number;
  rebuild(entries: readonly Entry[], from: number): void;
  /** Adds the last entry. True when rows were added or removed. */
  append(entries: readonly Entry[], entry: Entry): boolean;
  /** Updates an entry. True when rows were added or removed. */
  update(entries: readonly Entry[], entry: Entry): boolean;
  /** Adds the entries from this index up to the first that has rows. */
  prepend(entries: readonly Entry[], from: number): void;
}

export function createRowList(tell: (key: string) => void): RowList {
  const rows: Row[] = [];
  const byKey = new Map<string, Row>();
  let sections: Section[] = [];
  const sectionOf = new Map<Entry, Section>();

  const surroundings = (entries: readonly Entry[], { entries: own }: Section) => {
    const [first] = own;
    const last = own.at(-1);
    const at = first === undefined ? -1 : entries.lastIndexOf(first);
    const end = last === undefined ? -1 : entries.lastIndexOf(last);
    return {
      startsRun: startsRun(entries, at),
      until: entries[end + 1]?.message.timestamp ?? null,
    };
  };

  /** The index of its first row. Searches from the end, where nearly all changes happen. */
  const positionOf = (section: Section): number => {
    let at = rows.length;
    for (let index = sections.length - 1; index >= 0; index -= 1) {
      const each = sections[index];
      at -= each?.rows.length ?? 0;
      if (each === section) return at;
    }
    return -1;
  };

  const refresh = (entries: readonly Entry[], section: Section): boolean => {
    const before = section.rows;
    const after = rowsOf(section, surroundings(entries, section));
    const start = positionOf(section);
    section.rows = after;
    let same = 0;
    while (same < before.length && before[same] === after[same]) same += 1;
    for (const row of after.slice(same)) byKey.set(row.key, row);
    const isInPlace =
      before.length === after.length &&
      after.slice(same).every(({ key }, index) => key === before[same + index]?.key);
    rows.splice(start + same, before.length - same, ...after.slice(same));
    if (!isInPlace) {
      const keys = new Set(after.map(({ key }) => key));
      for (const { key } of before) if (!keys.has(key)) byKey.delete(key);
    }
    for (const { key } of after.slice(same)) tell(key);
    return !isInPlace;
  };

  /** Groups entries into sections without rows. */
  const group = (entries: readonly Entry[]): Section[] => {
    const grouped: Section[] = [];
    for (const entry of entries) {
      const last = grouped.at(-1);
      if (last !== undefined && takesMore(last, entry)) last.entries.push(entry);
      else grouped.push({ entries: [entry], rows: [] });
    }
    for (const section of grouped)
      for (const entry of section.entries) sectionOf.set(entry, section);
    return grouped;
  };

  const build = (entries: readonly Entry[], grouped: readonly Section[], from: number): Row[] => {
    let at = from;
    return grouped.flatMap((section) => {
      const first = at;
      at += section.entries.length;
      section.rows = rowsOf(section, {
        startsRun: startsRun(entries, first),
        until: entries[at]?.message.timestamp ?? null,
      });
      for (const row of section.rows) byKey.set(row.key, row);
      return section.rows;
    });
  };

  return {
    rows,
    row: (key) => byKey.get(key) ?? null,
    indexOf(entry) {
      const section = sectionOf.get(entry);
      return section === undefined ? -1 : positionOf(section);
    },
    rebuild(entries, from) {
      const shown = [...byKey.keys()];
      byKey.clear();
      sectionOf.clear();
      sections = group(entries.slice(from));
      rows.length = 0;
      for (const row of build(entries, sections, from)) rows.push(row);
      for (const key of shown) tell(key);
    },
    append(entries, entry) {
      const last = sections.at(-1);
      if (last !== undefined && takesMore(last, entry)) {
        last.entries.push(entry);
        sectionOf.set(entry, last);
        return refresh(entries, last);
      }
      const section: Section = { entries: [entry], rows: [] };
      sections.push(section);
      sectionOf.set(entry, section);
      const isChanged = refresh(entries, section);
      // The previous activity now has an end.
      if (last !== undefined && last.rows[0]?.row === "activity") refresh(entries, last);
      return isChanged;
    },
    update(entries, entry) {
      const section = sectionOf.get(entry);
      return section === undefined ? false : refresh(entries, section);
    },
    prepend(entries, from) {
      const [first] = sections[0]?.entries ?? [];
      const until = first === undefined ? entries.length : entries.indexOf(first);
      const older = group(entries.slice(from, until));
      const all = [...build(entries, older, from), ...rows];
      rows.length = 0;
      for (const row of all) rows.push(row);
      sections = [...older, ...sections];
    },
  };
}

/** Entries shown together, and their rows: a message, or the activity between two messages. */
interface Section {
  readonly entries: Entry[];
  rows: readonly Row[];
}

/** The context of a section. */
interface Surroundings {
  readonly startsRun: boolean;
  /** The start of the next entry; null for the last one. */
  readonly until: string | null;
}

/** Their text is in the entry. */
const GROWING: ReadonlySet<string> = new Set(["thought", "text"]);

function takesMore({ entries: [first] }: Section, entry: Entry): boolean {
  return first !== undefined && isActivity(first.message) && isActivity(entry.message);
}

/** The current rows; unchanged ones keep their objects. */
function rowsOf(section: Section, { startsRun, until }: Surroundings): readonly Row[] {
  for (const each of section.entries) readEntry(each);
  const [entry] = section.entries;
  if (entry === undefined) return [];
  const { message, text, blocks } = entry;
  if (isActivity(message)) {
    const messages = section.entries.map((each) =>
      GROWING.has(each.message.content.type)
        ? { ...each.message, content: { ...each.message.content, text: each.text } }
        : each.message,
    );
    return [activityRow(messages, { until, startsRun })];
  }
  if (blocks === null) return [messageRow(message, text, startsRun)];
  return blockRows(message, blocks, { live: !message.complete, startsRun, before: section.rows });
}

/** Whether the agent's part of a run begins here. */
function startsRun(entries: readonly Entry[], index: number): boolean {
  const message = entries[index]?.message;
  if (message === undefined || authorOf(message) !== "agent") return false;
  for (let at = index - 1; at >= 0; at -= 1) {
    const before = entries[at]?.message;
    if (before === undefined || authorOf(before) === "system") continue;
    return before.role === "user" || before.runId !== message.runId;
  }
  return true;
}
