import type { Session } from "@holdfast/protocol";
import { statusWord } from "../../api/status-word.ts";

/** In the order in which they are shown. */
export const GROUPS = ["Needs you", "Running", "Failed", "Today", "Earlier"] as const;
export type Group = (typeof GROUPS)[number];

/** A session at its place in the list. */
export interface Entry {
  readonly group: Group;
  readonly session: Session;
}

export interface GroupRules {
  /** Until when this browser has shown the session; null if it never did. */
  readonly lastSeen: (sessionId: string) => string | null;
  /** The beginning of this day, in the format of the server. */
  readonly today: string;
}

export function groupOf(session: Session, { lastSeen, today }: GroupRules): Group {
  const { id, status, lastTurn } = session;
  const word = statusWord(session);
  if (word === "Needs you") return "Needs you";
  if (word === "Running" || word === "Waiting") return "Running";
  const hasFailed = word === "Failed" || word === "Interrupted";
  if (hasFailed && status !== "archived" && (lastSeen(id) ?? "") < lastTurn.at) return "Failed";
  return lastTurn.at >= today ? "Today" : "Earlier";
}

/** The newest version of each session, by group, then by the last turn. */
export function entriesOf(sessions: readonly Session[], rules: GroupRules): readonly Entry[] {
  const entries = newest(sessions)
    .toSorted(byTurn)
    .map((session) => ({ session, group: groupOf(session, rules) }));
  return GROUPS.flatMap((group) => entries.filter((entry) => entry.group === group));
}

/** The same session may be in several lists, of which one is older. */
export function newest(sessions: readonly Session[]): readonly Session[] {
  const byId = new Map<string, Session>();
  for (const session of sessions) {
    const other = byId.get(session.id);
    if (other === undefined || other.version < session.version) byId.set(session.id, session);
  }
  return [...byId.values()];
}

/** The last turn first, as the server sorts. */
function byTurn(one: Session, other: Session): number {
  if (one.lastTurn.at !== other.lastTurn.at) return one.lastTurn.at < other.lastTurn.at ? 1 : -1;
  return one.id < other.id ? 1 : -1;
}

/** The beginning of the day of this time, in the time zone of the browser. */
export function startOfDay(nowMs: number): string {
  const day = new Date(nowMs);
  day.setHours(0, 0, 0, 0);
  return day.toISOString();
}

/** Where a session stood. */
export type Standing = Pick<Entry, "group"> & { readonly id: string };

export const standingsOf = (entries: readonly Entry[]): readonly Standing[] =>
  entries.map(({ group, session }) => ({ group, id: session.id }));

/**
 * The entries where they stood, so that nothing moves under the pointer or the focus. Sessions that are gone are left
 * out. Sessions that belong after all others are added at the end, because they cannot move anything.
 */
export function heldEntries(
  stood: readonly Standing[],
  entries: readonly Entry[],
): readonly Entry[] {
  const byId = new Map(entries.map((entry) => [entry.session.id, entry]));
  const known = new Set(stood.map(({ id }) => id));
  const kept = stood.flatMap(({ id, group }) => {
    const entry = byId.get(id);
    return entry === undefined ? [] : [{ ...entry, group }];
  });
  const last = entries.findLastIndex(({ session }) => known.has(session.id));
  const lastGroup = kept.at(-1)?.group ?? "Needs you";
  const added = entries
    .slice(last + 1)
    .filter(({ group }) => GROUPS.indexOf(group) >= GROUPS.indexOf(lastGroup));
  return [...kept, ...added];
}

/** How many sessions have another place than is shown, or are not shown yet. */
export function movedCount(shown: readonly Entry[], entries: readonly Entry[]): number {
  const places = new Map(shown.map(({ session, group }, index) => [session.id, { index, group }]));
  let last = -1;
  let moved = 0;
  for (const { session, group } of entries) {
    const place = places.get(session.id);
    if (place === undefined || place.group !== group || place.index < last) moved += 1;
    else last = place.index;
  }
  return moved;
}
