import { authorOf } from "@holdfast/protocol";
import { type Entry, readEntry } from "./entries.ts";
import type { RunMarks } from "./run-marks.ts";
import {
  activityRow,
  blockRows,
  changesRow,
  foldKey,
  isActivity,
  messageRow,
  rewoundRow,
  type Row,
} from "./rows.ts";

/** The sections and their rows, in one array that changes in place so that its start is never copied. */
export interface RowList {
  readonly rows: readonly Row[];
  row(key: string): Row | null;
  indexOf(entry: Entry): number;
  /** The fold that hides the entry while it is closed; null for most entries. */
  foldOf(entry: Entry): string | null;
  rebuild(entries: readonly Entry[], from: number): void;
  /** Adds the last entry. True when rows were added or removed. */
  append(entries: readonly Entry[], entry: Entry): boolean;
  /** Updates an entry. True when rows were added or removed. */
  update(entries: readonly Entry[], entry: Entry): boolean;
  /** Adds the entries from this index up to the first that has rows. */
  prepend(entries: readonly Entry[], from: number): void;
}

export interface RowListOptions {
  readonly tell: (key: string) => void;
  readonly marks: Pick<RunMarks, "isRewound" | "changesOf">;
  readonly isOpen: (key: string) => boolean;
  /** The rows that stand before an entry, whatever it is. */
  readonly before: (entries: readonly Entry[], index: number) => readonly Row[];
}

export function createRowList({ tell, marks, isOpen, before }: RowListOptions): RowList {
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
    const { rows: old } = section;
    const after = shownRows(section, surroundings(entries, section));
    const start = positionOf(section);
    section.rows = after;
    let same = 0;
    while (same < old.length && old[same] === after[same]) same += 1;
    for (const row of after.slice(same)) byKey.set(row.key, row);
    const isInPlace =
      old.length === after.length &&
      after.slice(same).every(({ key }, index) => key === old[same + index]?.key);
    rows.splice(start + same, old.length - same, ...after.slice(same));
    if (!isInPlace) {
      const keys = new Set(after.map(({ key }) => key));
      for (const { key } of old) if (!keys.has(key)) byKey.delete(key);
    }
    for (const { key } of after.slice(same)) tell(key);
    return !isInPlace;
  };

  /** None while it is folded away. */
  const shownRows = (section: Section, around: Surroundings): readonly Row[] => {
    if (section.fold !== null && !isOpen(section.fold)) return [];
    return section.own ?? rowsOf(section, around);
  };

  /** The row at the end of a run, if this entry is its last one. */
  const runEnd = (entry: Entry, lastOf: ReadonlyMap<string, Entry>): Row | null => {
    const { message } = entry;
    const { runId } = message;
    if (runId === null || lastOf.get(runId) !== entry) return null;
    const counts = marks.changesOf(runId);
    return counts === null ? null : changesRow(message, runId, counts);
  };

  /** Groups entries into sections without rows. A fold is never cut in two: the list starts before it or after it. */
  const group = (entries: readonly Entry[], from: number, to = entries.length): Section[] => {
    const grouped: Section[] = [];
    const lastOf = new Map(
      entries.flatMap((entry) =>
        entry.message.runId === null ? [] : [[entry.message.runId, entry] as const],
      ),
    );
    let fold: string | null = null;
    for (let at = from; at < to; at += 1) {
      const entry = entries[at];
      if (entry === undefined) break;
      const isTakenBack = marks.isRewound(entry.message.runId);
      if (!isTakenBack) fold = null;
      grouped.push(...before(entries, at).map((row) => standing(row, fold)));
      if (isTakenBack && fold === null) {
        fold = foldKey(entry.message.id);
        const row = rewoundRow(rewoundFrom(entries.slice(at, to)));
        grouped.push(standing(row, null));
      }
      const last = grouped.at(-1);
      if (last !== undefined && last.fold === fold && takesMore(last, entry))
        last.entries.push(entry);
      else grouped.push({ entries: [entry], rows: [], own: null, fold });
      const end = runEnd(entry, lastOf);
      if (end !== null) grouped.push(standing(end, fold));
    }
    for (const section of grouped)
      for (const entry of section.entries) sectionOf.set(entry, section);
    return grouped;
  };

  const rewoundFrom = (entries: readonly Entry[]) => {
    const end = entries.findIndex(({ message }) => !marks.isRewound(message.runId));
    return entries.slice(0, end === -1 ? entries.length : end).map(({ message }) => message);
  };

  const build = (entries: readonly Entry[], grouped: readonly Section[], from: number): Row[] => {
    let at = from;
    return grouped.flatMap((section) => {
      const first = at;
      at += section.entries.length;
      section.rows = shownRows(section, {
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
    foldOf: (entry) => sectionOf.get(entry)?.fold ?? null,
    rebuild(entries, from) {
      const shown = [...byKey.keys()];
      byKey.clear();
      sectionOf.clear();
      sections = group(entries, from);
      rows.length = 0;
      for (const row of build(entries, sections, from)) rows.push(row);
      for (const key of shown) tell(key);
    },
    append(entries, entry) {
      const last = sections.at(-1);
      const own = before(entries, entries.lastIndexOf(entry));
      if (own.length === 0 && last !== undefined && last.fold === null && takesMore(last, entry)) {
        last.entries.push(entry);
        sectionOf.set(entry, last);
        return refresh(entries, last);
      }
      const previous = sections.findLast((each) => each.own === null);
      for (const row of own) {
        const mark = standing(row, null);
        sections.push(mark);
        refresh(entries, mark);
      }
      const section: Section = { entries: [entry], rows: [], own: null, fold: null };
      sections.push(section);
      sectionOf.set(entry, section);
      const isChanged = refresh(entries, section);
      // The previous activity now has an end.
      if (previous !== undefined && previous.rows[0]?.row === "activity")
        refresh(entries, previous);
      return isChanged;
    },
    update(entries, entry) {
      const section = sectionOf.get(entry);
      return section === undefined ? false : refresh(entries, section);
    },
    prepend(entries, from) {
      const first = sections.find(({ own }) => own === null)?.entries[0];
      const until = first === undefined ? entries.length : entries.indexOf(first);
      const older = group(entries, from, until);
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
  /** Rows that stand for no entry; null for a section with entries. */
  readonly own: readonly Row[] | null;
  /** The fold in which it is; null if it was not taken back. */
  readonly fold: string | null;
}

/** A section of a row that stands for no entry. */
function standing(row: Row, fold: string | null): Section {
  return { entries: [], rows: [], own: [row], fold };
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
