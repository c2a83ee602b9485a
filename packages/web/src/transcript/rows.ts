import { authorOf, type ChangeCounts, type Message } from "@holdfast/protocol";
import { parentOf } from "../tools/tool-call.ts";
import type { Block } from "../markdown/lex-blocks.ts";

/** A row of the list. It is replaced when its content changes; the key stays. */
export type Row =
  | MessageRow
  | BlockRow
  | (RowPlace & {
      readonly row: "activity";
      /** Consecutive thoughts and tool calls, and everything of sub-agents. */
      readonly messages: readonly Message[];
      /** The start of the next entry. */
      readonly until: string | null;
    })
  | RewoundRow
  | ChangesRow
  | MarkRow;

export interface RowPlace {
  readonly key: string;
  /** The message that links lead to. */
  readonly messageId: string;
  /** The estimated height before it is measured. */
  readonly estimate: number;
  /** The first row of an agent's answer. */
  readonly startsRun: boolean;
}

/** A whole message. */
export interface MessageRow extends RowPlace {
  readonly row: "message";
  readonly message: Message;
  readonly text: string;
}

/** A block of a long or growing text. */
export interface BlockRow extends RowPlace {
  readonly row: "block";
  readonly message: Message;
  readonly block: Block;
  readonly isFirst: boolean;
  /** Whether it can still grow. */
  readonly live: boolean;
  /** The range of lines of long code. */
  readonly from: number;
  readonly to: number;
}

/** Stands before messages that were taken back. They have rows only while it is open. */
export interface RewoundRow extends RowPlace {
  readonly row: "rewound";
  /** The number of messages, without tool calls and thoughts. */
  readonly count: number;
}

/** At the end of a run that changed files. */
export interface ChangesRow extends RowPlace {
  readonly row: "changes";
  readonly runId: string;
  readonly counts: ChangeCounts;
}

/** Stands before the first message of a day, or before what is new since the last visit. */
export interface MarkRow extends RowPlace {
  readonly row: "mark";
  readonly mark: "day" | "new";
  /** A time of that day, or the time of the last visit. */
  readonly at: string;
}

/** Texts up to this length are one row. */
export const LONG_TEXT = 3_000;
/** Code with more lines becomes several rows. */
const LONG_CODE = 90;
const CODE_PART = 60;

/** Everything that a sub-agent does is shown under the tool call that stands for it. */
export function isActivity({ role, content }: Message): boolean {
  const { type } = content;
  return role !== "user" && (type === "tool" || type === "thought" || parentOf(content) !== null);
}

export function messageRow(message: Message, text: string, startsRun: boolean): MessageRow {
  const estimate = authorOf(message) === "system" ? 36 : 28 + textHeight(text);
  return {
    row: "message",
    key: message.id,
    messageId: message.id,
    message,
    text,
    estimate,
    startsRun,
  };
}

export function activityRow(
  messages: readonly Message[],
  { until, startsRun }: { readonly until: string | null; readonly startsRun: boolean },
): Row {
  const [first] = messages;
  if (first === undefined) throw new Error("unreachable: an activity without a message");
  const { id } = first;
  return {
    row: "activity",
    key: `+${id}`,
    messageId: id,
    messages,
    until,
    estimate: 36,
    startsRun,
  };
}

/** The key of the line that folds messages away; the first of them names it. */
export function foldKey(messageId: string): string {
  return `-${messageId}`;
}

export function rewoundRow(messages: readonly Message[]): RewoundRow {
  const [first] = messages;
  if (first === undefined) throw new Error("unreachable: a fold without a message");
  const { id } = first;
  const count = messages.filter((message) => !isActivity(message)).length;
  return {
    row: "rewound",
    key: foldKey(id),
    messageId: id,
    count: Math.max(1, count),
    estimate: 36,
    startsRun: false,
  };
}

export function changesRow(message: Message, runId: string, counts: ChangeCounts): ChangesRow {
  return {
    row: "changes",
    key: `=${runId}`,
    messageId: message.id,
    runId,
    counts,
    estimate: 36,
    startsRun: false,
  };
}

export function markRow(mark: MarkRow["mark"], messageId: string, at: string): MarkRow {
  const key = `${mark}/${messageId}`;
  return { row: "mark", key, messageId, mark, at, estimate: 36, startsRun: false };
}

/** One row per block, and several for long code. Unchanged rows keep their objects. */
export function blockRows(
  message: Message,
  blocks: readonly Block[],
  {
    live,
    startsRun,
    before,
  }: { readonly live: boolean; readonly startsRun: boolean; readonly before: readonly Row[] },
): readonly Row[] {
  const kept = countKept(blocks, before);
  const rows: Row[] = before.slice(0, kept.rows);
  for (let index = kept.blocks; index < blocks.length; index += 1) {
    const block = blocks[index];
    if (block === undefined) break;
    const isEnd = index === blocks.length - 1;
    for (const { from, to, isLast } of partsOf(block)) {
      rows.push({
        row: "block",
        key: `${message.id}@${block.start}.${from}`,
        messageId: message.id,
        message,
        block,
        isFirst: index === 0 && from === 0,
        live: live && isEnd,
        from,
        to,
        estimate: blockHeight(block, Math.min(to, from + CODE_PART) - from) + (isLast ? 8 : 0),
        startsRun: startsRun && index === 0 && from === 0,
      });
    }
  }
  return rows;
}

/** Counts the leading blocks that keep their rows, and these rows. */
function countKept(
  blocks: readonly Block[],
  before: readonly Row[],
): { readonly blocks: number; readonly rows: number } {
  let at = 0;
  let rows = 0;
  for (const block of blocks) {
    let end = rows;
    for (let row = before[end]; row?.row === "block" && row.block === block && !row.live;) {
      end += 1;
      row = before[end];
    }
    if (end === rows) break;
    rows = end;
    at += 1;
  }
  return { blocks: at, rows };
}

function partsOf({ token }: Block): readonly { from: number; to: number; isLast: boolean }[] {
  if (token.type !== "code") return [{ from: 0, to: Infinity, isLast: true }];
  const lines = countLines(token.text);
  if (lines <= LONG_CODE) return [{ from: 0, to: Infinity, isLast: true }];
  const count = Math.ceil(lines / CODE_PART);
  return Array.from({ length: count }, (_, index) => ({
    from: index * CODE_PART,
    to: index === count - 1 ? Infinity : (index + 1) * CODE_PART,
    isLast: index === count - 1,
  }));
}

function blockHeight({ token, raw }: Block, codeLines: number): number {
  if (token.type === "code") return 24 + Math.min(codeLines, countLines(token.text)) * 20;
  if (token.type === "table") return 16 + countLines(raw) * 32;
  return textHeight(raw);
}

function textHeight(text: string): number {
  return 16 + (countLines(text) + Math.floor(text.length / 110)) * 24;
}

function countLines(text: string): number {
  let count = 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}
