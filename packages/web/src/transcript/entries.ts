import { grownContent, type Message } from "@holdfast/protocol";
import { createGrowingBlocks, type GrowingBlocks } from "../markdown/growing-blocks.ts";
import { type Block, lexBlocks, normalLines } from "../markdown/lex-blocks.ts";
import { parentOf } from "../tools/tool-call.ts";
import { textOf, wordsOf } from "./message-text.ts";
import { isActivity, LONG_TEXT } from "./rows.ts";

/** A message and its current text. */
export interface Entry {
  message: Message;
  /** The text as received. */
  raw: string;
  /** Whether the fields below are up to date with `message` and `raw`. */
  isRead: boolean;
  /** The text with normalised line ends. */
  text: string;
  /** The blocks of a growing or long text; null when the message is one row. */
  blocks: readonly Block[] | null;
  /** The parser of a growing text; null when it is complete. */
  growing: GrowingBlocks | null;
}

/** The text is parsed when it is shown: most of a long session never is. */
export function createEntry(message: Message): Entry {
  const raw = textOf(message);
  return { message, raw, isRead: false, text: "", blocks: null, growing: null };
}

/** Replaces the message, possibly with the same text. */
export function replaceMessage(entry: Entry, message: Message): void {
  const raw = textOf(message);
  if (!raw.startsWith(entry.raw)) entry.growing = null;
  entry.message = message;
  entry.raw = raw;
  entry.isRead = false;
}

/** Appends text, or output of a tool call. */
export function addText(entry: Entry, text: string): void {
  const { message } = entry;
  if (message.content.type === "tool")
    entry.message = { ...message, content: grownContent(message.content, text) };
  else entry.raw += text;
  entry.isRead = false;
}

export function readEntry(entry: Entry): void {
  if (entry.isRead) return;
  entry.isRead = true;
  entry.text = normalLines(entry.raw);
  readBlocks(entry);
}

/** A text shown in blocks while growing stays in blocks, otherwise the view would jump. */
function readBlocks(entry: Entry): void {
  const { message, text } = entry;
  if (!isAnswer(message)) {
    entry.blocks = null;
    return;
  }
  if (!message.complete) {
    entry.growing ??= createGrowingBlocks();
    entry.growing.grow(text);
    entry.blocks = [...entry.growing.stable, ...entry.growing.tail];
    return;
  }
  entry.growing = null;
  if (entry.blocks !== null || text.length > LONG_TEXT) {
    entry.blocks = keepEqual(entry.blocks ?? [], lexBlocks(text));
  }
}

/** A text of the agent itself, not a notice of its program. */
function isAnswer({ role, content }: Message): boolean {
  const isText = content.type === "text" && typeof content["notice"] !== "string";
  return role === "agent" && isText && parentOf(content) === null;
}

/** Link definitions can change the rendering of otherwise equal blocks. */
const DEFINITION = /^ {0,3}\[[^\]\n]+\]:/mu;

/** Keeps the objects of unchanged blocks, so that they are not rendered again. */
function keepEqual(old: readonly Block[], blocks: readonly Block[]): readonly Block[] {
  if (blocks.some(({ raw }) => DEFINITION.test(raw))) return blocks;
  const byStart = new Map(old.map((block) => [block.start, block]));
  return blocks.map((block) => {
    const before = byStart.get(block.start);
    return before?.raw === block.raw && before.token.type === block.token.type ? before : block;
  });
}

/** All words of an entry in its current state. */
export function entryWords(entry: Entry | undefined): string {
  if (entry === undefined) return "";
  const { type } = entry.message.content;
  return type === "text" || type === "thought" ? entry.raw : wordsOf(entry.message);
}

export function isActive(entry: Entry | undefined): boolean {
  return entry !== undefined && isActivity(entry.message);
}
