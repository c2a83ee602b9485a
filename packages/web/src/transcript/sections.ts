import { authorOf } from "@holdfast/protocol";
import { readEntry, type Entry } from "./entries.ts";
import { activityRow, blockRows, isActivity, messageRow, type Row } from "./rows.ts";

/** Entries that are shown together, and their rows: a message, or what an agent did between two of them. */
export interface Section {
  readonly entries: Entry[];
  rows: readonly Row[];
}

/** Where an entry stands among all of them. */
export interface Surroundings {
  readonly startsRun: boolean;
  /** When what comes after began; null when nothing does. */
  readonly until: string | null;
}

export function takesMore({ entries: [first] }: Section, entry: Entry): boolean {
  return first !== undefined && isActivity(first.message) && isActivity(entry.message);
}

/** The rows as they must be now; those that have not changed are the same objects. */
export function rowsOf(section: Section, { startsRun, until }: Surroundings): readonly Row[] {
  for (const each of section.entries) readEntry(each);
  const [entry] = section.entries;
  if (entry === undefined) return [];
  const { message, text, blocks } = entry;
  if (isActivity(message)) {
    const messages = section.entries.map((each) =>
      each.message.content.type === "thought"
        ? { ...each.message, content: { ...each.message.content, text: each.text } }
        : each.message,
    );
    return [activityRow(messages, { until, startsRun })];
  }
  if (blocks === null) return [messageRow(message, text, startsRun)];
  return blockRows(message, blocks, { live: !message.complete, startsRun, before: section.rows });
}

/** Whether an agent begins here: what it said last belongs to another run, or to none. */
export function startsRun(entries: readonly Entry[], index: number): boolean {
  const message = entries[index]?.message;
  if (message === undefined || authorOf(message) !== "agent") return false;
  for (let at = index - 1; at >= 0; at -= 1) {
    const before = entries[at]?.message;
    if (before === undefined || authorOf(before) === "system") continue;
    return before.role === "user" || before.runId !== message.runId;
  }
  return true;
}
