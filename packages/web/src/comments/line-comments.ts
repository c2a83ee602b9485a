import { isObject } from "@holdfast/client";
import { parseJson, type PageStorage } from "../api/page-storage.ts";
import type { DiffLine } from "../diff/diff-lines.ts";

/** A line of a file, before or after the change. */
export interface LineRef {
  readonly side: "old" | "new";
  readonly number: number;
}

/** A comment on lines of a diff that was not given to the agent yet. */
export interface LineComment {
  readonly id: string;
  readonly path: string;
  /** Such as `lines 3–5`. */
  readonly where: string;
  readonly last: LineRef;
  /** The lines with their signs, as in a diff. */
  readonly quote: readonly string[];
  readonly text: string;
}

const NONE: readonly LineComment[] = [];

/** The comments of each session on this device. */
export function createLineComments(storage: PageStorage, newId: () => string) {
  const bySession = new Map<string, readonly LineComment[]>();
  const listeners = new Set<() => void>();
  const of = (sessionId: string): readonly LineComment[] => {
    const comments = bySession.get(sessionId) ?? parseComments(storage.get(keyOf(sessionId)));
    bySession.set(sessionId, comments);
    return comments;
  };
  const write = (sessionId: string, comments: readonly LineComment[]): void => {
    bySession.set(sessionId, comments);
    storage.set(keyOf(sessionId), comments.length === 0 ? null : JSON.stringify(comments));
    for (const listener of listeners) listener();
  };
  return {
    of,
    add: (sessionId: string, comment: Omit<LineComment, "id">): void =>
      write(sessionId, [...of(sessionId), { ...comment, id: newId() }]),
    change: (sessionId: string, id: string, text: string): void =>
      write(
        sessionId,
        of(sessionId).map((each) => (each.id === id ? { ...each, text } : each)),
      ),
    remove: (sessionId: string, id: string): void =>
      write(
        sessionId,
        of(sessionId).filter((each) => each.id !== id),
      ),
    clear: (sessionId: string): void => write(sessionId, NONE),
    subscribe: (listener: () => void): (() => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** What cannot be read is left out. */
function parseComments(stored: string | null): readonly LineComment[] {
  const value = parseJson(stored);
  return Array.isArray(value) ? value.filter(isComment) : NONE;
}

function isComment(value: unknown): value is LineComment {
  if (!isObject(value)) return false;
  const { id, path, where, last, quote, text } = value;
  const areTexts = [id, path, where, text].every((each) => typeof each === "string");
  const isQuote = Array.isArray(quote) && quote.every((line) => typeof line === "string");
  return areTexts && isQuote && isRef(last);
}

function isRef(value: unknown): value is LineRef {
  return (
    isObject(value) &&
    (value["side"] === "old" || value["side"] === "new") &&
    typeof value["number"] === "number"
  );
}

function keyOf(sessionId: string): string {
  return `holdfast.comments.${sessionId}`;
}

/** Indexes of a diff, both included. */
export interface LineRange {
  readonly from: number;
  readonly to: number;
}

/** The lines of a comment; null if the range has none. */
export function quoteOf(
  lines: readonly DiffLine[],
  { from, to }: LineRange,
): Pick<LineComment, "where" | "last" | "quote"> | null {
  const chosen = lines.slice(from, to + 1);
  const refs = chosen.flatMap((line) => refOf(line) ?? []);
  const last = refs.at(-1);
  return last === undefined ? null : { where: whereOf(refs), last, quote: chosen.map(quoted) };
}

/** Numbers of the new file, if the lines are in it. */
function whereOf(refs: readonly LineRef[]): string {
  const isRemoved = refs.every(({ side }) => side === "old");
  const numbers = refs.flatMap(({ side, number }) => (isRemoved || side === "new" ? number : []));
  const [from] = numbers;
  const to = numbers.at(-1);
  const name = isRemoved ? "removed line" : "line";
  return from === to ? `${name} ${from}` : `${name}s ${from}–${to}`;
}

const SIGNS = { same: " ", removed: "-", added: "+" } as const;

function quoted(line: DiffLine): string {
  return line.line === "gap" ? "…" : `${SIGNS[line.line]}${line.text}`;
}

function refOf(line: DiffLine): LineRef | null {
  if (line.line === "gap") return null;
  return line.line === "removed"
    ? { side: "old", number: line.old }
    : { side: "new", number: line.new };
}

/** The index of the last line of a comment; null if the lines of the diff are others by now. */
export function indexOf(lines: readonly DiffLine[], comment: LineComment): number | null {
  const { last, quote } = comment;
  const index = lines.findIndex((line) => {
    const ref = refOf(line);
    return ref !== null && ref.side === last.side && ref.number === last.number;
  });
  const line = lines[index];
  return line !== undefined && quoted(line) === quote.at(-1) ? index : null;
}
