import { authorOf, type Message } from "@holdfast/protocol";
import type { Block } from "../markdown/lex-blocks.ts";

/** What the list shows, one below the other. A row is replaced when what it shows changes; its key stays. */
export type Row =
  | MessageRow
  | BlockRow
  | (RowPlace & {
      readonly row: "activity";
      /** Thoughts and uses of tools, one after the other. */
      readonly messages: readonly Message[];
      /** When what comes after them began. */
      readonly until: string | null;
    });

export interface RowPlace {
  readonly key: string;
  /** The message it is reached by. */
  readonly messageId: string;
  /** About how high it is, before anybody has looked. */
  readonly estimate: number;
  /** The first thing that an agent does in answer to a message. */
  readonly startsRun: boolean;
}

/** A whole message. */
export interface MessageRow extends RowPlace {
  readonly row: "message";
  readonly message: Message;
  readonly text: string;
}

/** A part of a long text, or of one that grows. */
export interface BlockRow extends RowPlace {
  readonly row: "block";
  readonly message: Message;
  readonly block: Block;
  readonly isFirst: boolean;
  /** More of it may come. */
  readonly live: boolean;
  /** Of long code, the lines it has. */
  readonly from: number;
  readonly to: number;
}

/** Shorter texts are one row. */
export const LONG_TEXT = 3_000;
/** Longer code is several rows. */
const LONG_CODE = 90;
const CODE_PART = 60;

export function isActivity({ role, content: { type } }: Message): boolean {
  return role !== "user" && (type === "tool" || type === "thought");
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

/** One row for each block, and several for long code. Rows of before that show the same stay the same. */
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

/** How many blocks at the beginning have their rows already, and how many rows these are. */
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
