import type { Message } from "@holdfast/protocol";
import { createGrowingBlocks, type GrowingBlocks } from "../markdown/growing-blocks.ts";
import { type Block, lexBlocks, normalLines } from "../markdown/lex-blocks.ts";
import { textOf } from "./message-text.ts";
import { LONG_TEXT } from "./rows.ts";

/** A message, and its text as far as it has come. */
export interface Entry {
  message: Message;
  /** As it came. */
  raw: string;
  /** Whether what follows says what `message` and `raw` do. */
  isRead: boolean;
  /** Its lines end as ours do. */
  text: string;
  /** Blocks of a text that grows, or is long; null where the message is one row. */
  blocks: readonly Block[] | null;
  /** Reads a growing text; null when it is complete. */
  growing: GrowingBlocks | null;
}

/** It is read when it is shown: of a long session most is not. */
export function createEntry(message: Message): Entry {
  const raw = textOf(message);
  return { message, raw, isRead: false, text: "", blocks: null, growing: null };
}

/** The message as it is now, which may say the same as before. */
export function replaceMessage(entry: Entry, message: Message): void {
  const raw = textOf(message);
  if (!raw.startsWith(entry.raw)) entry.growing = null;
  entry.message = message;
  entry.raw = raw;
  entry.isRead = false;
}

/** More of the text. */
export function addText(entry: Entry, text: string): void {
  entry.raw += text;
  entry.isRead = false;
}

export function readEntry(entry: Entry): void {
  if (entry.isRead) return;
  entry.isRead = true;
  entry.text = normalLines(entry.raw);
  readBlocks(entry);
}

/** A text that was shown in blocks while it grew stays so: it would jump. */
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

/** What an agent says itself; what its program says is one line. */
function isAnswer({ role, content: { type, notice } }: Message): boolean {
  return role === "agent" && type === "text" && typeof notice !== "string";
}

/** Definitions of links can change what blocks show that are otherwise the same. */
const DEFINITION = /^ {0,3}\[[^\]\n]+\]:/mu;

/** Blocks that have not changed stay the same objects, and need not be shown again. */
function keepEqual(old: readonly Block[], blocks: readonly Block[]): readonly Block[] {
  if (blocks.some(({ raw }) => DEFINITION.test(raw))) return blocks;
  const byStart = new Map(old.map((block) => [block.start, block]));
  return blocks.map((block) => {
    const known = byStart.get(block.start);
    return known?.raw === block.raw && known.token.type === block.token.type ? known : block;
  });
}
