import { cleanText } from "../../../domain/clean-text.ts";
import type { MessageContent } from "../../../domain/message.ts";
import { NOTHING_HELD, type HeldText, type Redactor } from "../../secrets/redactor.ts";
import { looseLabel, looseNumber, looseObject, looseText, type Loose } from "../wire/loose.ts";
import {
  appendText,
  EMPTY_EXCERPT,
  MAX_BYTES,
  omittedBytes,
  shortenText,
  type Excerpt,
} from "../wire/shorten.ts";
import { contentOfBlock, fitContent, textOfBlock } from "./content-block.ts";
import { splitHalf } from "./text-stream.ts";

/** The content of a tool call. Blocks and diffs are already shortened. */
export type ToolItem =
  | { readonly item: "block"; readonly content: MessageContent }
  /** Text that comes in chunks. */
  | { readonly item: "stream"; readonly text: Excerpt }
  | {
      readonly item: "diff";
      readonly path: string;
      readonly oldText: string | null;
      readonly newText: string;
    }
  | { readonly item: "terminal"; readonly terminalId: string };

/** The output of a command that the agent runs itself. */
export interface Terminal {
  readonly output: Excerpt;
  /** How often the output was replaced. */
  readonly edition: number;
  /** Half a surrogate pair; the other half has not come yet. */
  readonly half: string;
  readonly held: HeldText;
  readonly exit: { readonly code: number | null; readonly signal: string | null } | null;
}

const MAX_ITEMS = 200;

export function parseToolItems(
  content: readonly unknown[],
  limit = MAX_BYTES,
): readonly ToolItem[] {
  return content.slice(0, MAX_ITEMS).flatMap((item) => parseToolItem(item, limit));
}

function parseToolItem(content: unknown, limit: number): readonly ToolItem[] {
  const item = looseObject(content);
  switch (item?.["type"]) {
    case "content": {
      const block = contentOfBlock(item["content"], limit);
      return block === null ? [] : [{ item: "block", content: block }];
    }
    case "diff": {
      const path = looseLabel(item["path"], 4_000);
      const oldText = looseText(item["oldText"]);
      const newText = looseText(item["newText"]);
      return path === null || newText === null ? [] : [diffItem(path, oldText, newText, limit)];
    }
    case "terminal": {
      const terminalId = looseLabel(item["terminalId"]);
      return terminalId === null ? [] : [{ item: "terminal", terminalId }];
    }
    default:
      return [];
  }
}

function diffItem(path: string, oldText: string | null, newText: string, room: number) {
  return {
    item: "diff" as const,
    path,
    oldText: oldText === null ? null : shortenText(oldText, room),
    newText: shortenText(newText, room),
  };
}

/** New content replaces the old, except for diffs: some agents replace a diff by a message that it was applied. */
export function replaceItems(
  old: readonly ToolItem[],
  content: readonly ToolItem[],
): readonly ToolItem[] {
  const paths = new Set(content.flatMap((item) => (item.item === "diff" ? [item.path] : [])));
  const diffs = old.filter((item) => item.item === "diff" && !paths.has(item.path));
  return [...diffs, ...content].slice(0, MAX_ITEMS);
}

/** Reads terminals from `_meta`: some agents report terminals that the client did not create. */
export function updateTerminals(
  terminals: ReadonlyMap<string, Terminal>,
  meta: Loose | null,
  redactor: Redactor,
  limit = MAX_BYTES,
): ReadonlyMap<string, Terminal> {
  const output =
    looseObject(meta?.["terminal_output"]) ?? looseObject(meta?.["terminal_output_delta"]);
  const exit = looseObject(meta?.["terminal_exit"]);
  if (output === null && exit === null) return terminals;
  const updated = new Map(terminals);
  const outputId = looseLabel(output?.["terminal_id"]);
  if (outputId !== null && typeof output?.["data"] === "string") {
    const earlier = updated.get(outputId) ?? NO_OUTPUT;
    // Version 2 of the protocol can replace all output.
    const isReplaced = output["replaces"] === true;
    const terminal = isReplaced ? { ...NO_OUTPUT, edition: earlier.edition + 1 } : earlier;
    const { whole, half } = splitHalf(terminal.half + output["data"]);
    const { text, held } = nextPiece(redactor, terminal.held, cleanText(whole));
    const longer = appendText(terminal.output, text, limit);
    updated.set(outputId, { ...terminal, output: longer, half, held });
  }
  const exitId = looseLabel(exit?.["terminal_id"]);
  if (exitId !== null) {
    const terminal = updated.get(exitId) ?? NO_OUTPUT;
    const code = looseNumber(exit?.["exit_code"]);
    updated.set(exitId, { ...terminal, exit: { code, signal: looseLabel(exit?.["signal"]) } });
  }
  return updated;
}

/** Some agents report the exit code of a command only as its result. */
export function withExit(
  terminals: ReadonlyMap<string, Terminal>,
  result: unknown,
): ReadonlyMap<string, Terminal> {
  const code = looseNumber(looseObject(result)?.["exit_code"]);
  const [id, terminal] = [...terminals].at(-1) ?? [];
  if (code === null || id === undefined || terminal === undefined || terminal.exit !== null)
    return terminals;
  return new Map(terminals).set(id, { ...terminal, exit: { code, signal: null } });
}

/**
 * The text by which one terminal has grown, if nothing else has changed and nothing of its output is left out. Null otherwise.
 * The terminal must be the last one that is shown.
 */
export function growthOf(
  before: ReadonlyMap<string, Terminal>,
  after: ReadonlyMap<string, Terminal>,
  shown: readonly unknown[],
  limit = MAX_BYTES,
): string | null {
  const changed = [...after].filter(([id, terminal]) => before.get(id) !== terminal);
  const [id, now] = changed[0] ?? [null, NO_OUTPUT];
  const old = id === null ? undefined : before.get(id);
  const last = looseObject(shown.at(-1));
  if (changed.length !== 1 || old === undefined) return null;
  if (old.exit !== now.exit || old.edition !== now.edition) return null;
  if (last?.["type"] !== "terminal" || last["terminalId"] !== id) return null;
  if (now.output.tail !== "" || !fits(now.output.head, shown, limit)) return null;
  return now.output.head.slice(old.output.head.length);
}

/** Whether the text is shown whole beside the other items. */
function fits(text: string, shown: readonly unknown[], limit: number): boolean {
  const others = shown
    .slice(0, -1)
    .map((item) => Buffer.byteLength(JSON.stringify(item)))
    .reduce((sum, bytes) => sum + bytes, 0);
  const room = limit - others;
  return text.length * 3 <= room || Buffer.byteLength(text) <= room;
}

/** The bytes that all terminals have printed. */
export function printedBytes(terminals: ReadonlyMap<string, Terminal>): number {
  return [...terminals.values()]
    .map(({ output: { head, tail, dropped } }) => head.length + tail.length + dropped)
    .reduce((sum, bytes) => sum + bytes, 0);
}

/** Converts the content, within the limit of a tool's output. Terminals that it does not mention follow at the end. */
export function showItems(
  items: readonly ToolItem[],
  terminals: ReadonlyMap<string, Terminal>,
  limit = MAX_BYTES,
): readonly MessageContent[] {
  const mentioned = new Set(
    items.flatMap((item) => (item.item === "terminal" ? [item.terminalId] : [])),
  );
  const others = [...terminals.keys()]
    .filter((terminalId) => !mentioned.has(terminalId))
    .map((terminalId): ToolItem => ({ item: "terminal", terminalId }));
  let room = limit;
  return [...items, ...others].map((item) => {
    const content = showItem(item, terminals, room);
    room = Math.max(0, room - roughSize(content));
    return content;
  });
}

/** The text of the output, for clients that show only a result. */
export function textOfOutput(output: readonly MessageContent[]): string | null {
  const texts = output.flatMap(({ type, text }) =>
    (type === "text" || type === "terminal") && typeof text === "string" && text !== ""
      ? [text]
      : [],
  );
  return texts.length === 0 ? null : texts.join("\n");
}

const NO_OUTPUT: Terminal = {
  output: EMPTY_EXCERPT,
  edition: 0,
  half: "",
  held: NOTHING_HELD,
  exit: null,
};

/** Adds a chunk of content. Text continues the text before it. */
export function appendItem(
  items: readonly ToolItem[],
  content: unknown,
  limit = MAX_BYTES,
): readonly ToolItem[] {
  const chunk = looseObject(content);
  const text = chunk?.["type"] === "content" ? textOfBlock(chunk["content"]) : null;
  if (text === null) return [...items, ...parseToolItem(content, limit)].slice(0, MAX_ITEMS);
  const last = items.at(-1);
  const [others, before] =
    last?.item === "stream" ? [items.slice(0, -1), last.text] : [items, EMPTY_EXCERPT];
  const stream = { item: "stream" as const, text: appendText(before, text, limit) };
  return [...others, stream].slice(0, MAX_ITEMS);
}

/** Removes a secret that began in an earlier chunk of the same call. */
export function cleanChunk(
  content: unknown,
  before: HeldText,
  redactor: Redactor,
): { readonly content: unknown; readonly held: HeldText } {
  const item = looseObject(content);
  const block = textOfBlock(item?.["content"]);
  if (item?.["type"] !== "content" || block === null) return { content, held: before };
  const { text, held } = nextPiece(redactor, before, cleanText(block));
  return { content: { ...item, content: { type: "text", text } }, held };
}

/** Output of tools is not held back, because it may be the last for a long time. */
function nextPiece(redactor: Redactor, before: HeldText, piece: string) {
  const next = redactor.next(before, piece);
  const { text, held } = redactor.release(next.held);
  return { text: next.text + text, held };
}

function roughSize(content: MessageContent): number {
  return Object.values(content)
    .map((value) => (typeof value === "string" ? Buffer.byteLength(value) : 8))
    .reduce((sum, size) => sum + size, 0);
}

function showItem(
  item: ToolItem,
  terminals: ReadonlyMap<string, Terminal>,
  room: number,
): MessageContent {
  switch (item.item) {
    case "block":
      return fitContent(item.content, room);
    case "stream":
      return { type: "text", text: shortenText(item.text, room) };
    case "diff": {
      const { item: type, ...diff } = diffItem(item.path, item.oldText, item.newText, room / 2);
      return { type, ...diff };
    }
    case "terminal": {
      const { output, exit } = terminals.get(item.terminalId) ?? NO_OUTPUT;
      return {
        type: "terminal",
        terminalId: item.terminalId,
        text: shortenText(output, room),
        ...(omittedBytes(output, room) > 0 && { omittedBytes: omittedBytes(output, room) }),
        exitCode: exit?.code ?? null,
        signal: exit?.signal ?? null,
      };
    }
    default:
      return item satisfies never;
  }
}
