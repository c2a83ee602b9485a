import { cleanText } from "../../../domain/clean-text.ts";
import type { MessageContent } from "../../../domain/message.ts";
import { NOTHING_HELD, type HeldText, type Redactor } from "../../secrets/redactor.ts";
import { looseLabel, looseNumber, looseObject, looseText, type Loose } from "../wire/loose.ts";
import {
  appendText,
  EMPTY_EXCERPT,
  MAX_BYTES,
  shortenText,
  type Excerpt,
} from "../wire/shorten.ts";
import { contentOfBlock, fitContent, textOfBlock } from "./content-block.ts";
import { splitHalf } from "./text-stream.ts";

/** The content of a tool call. Blocks and diffs are already shortened. */
export type ToolItem =
  | { readonly item: "block"; readonly content: MessageContent }
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
  /** Half a surrogate pair; the other half has not come yet. */
  readonly half: string;
  readonly held: HeldText;
  readonly exit: { readonly code: number | null; readonly signal: string | null } | null;
}

const MAX_ITEMS = 200;

export function parseToolItems(content: readonly unknown[]): readonly ToolItem[] {
  return content.slice(0, MAX_ITEMS).flatMap(parseToolItem);
}

export function parseToolItem(content: unknown): readonly ToolItem[] {
  const item = looseObject(content);
  switch (item?.["type"]) {
    case "content": {
      const block = contentOfBlock(item["content"], MAX_BYTES);
      return block === null ? [] : [{ item: "block", content: block }];
    }
    case "diff": {
      const path = looseLabel(item["path"], 4_000);
      const oldText = looseText(item["oldText"]);
      const newText = looseText(item["newText"]);
      return path === null || newText === null ? [] : [diffItem(path, oldText, newText)];
    }
    case "terminal": {
      const terminalId = looseLabel(item["terminalId"]);
      return terminalId === null ? [] : [{ item: "terminal", terminalId }];
    }
    default:
      return [];
  }
}

function diffItem(path: string, oldText: string | null, newText: string, room = MAX_BYTES) {
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
): ReadonlyMap<string, Terminal> {
  const output = looseObject(meta?.["terminal_output"]);
  const exit = looseObject(meta?.["terminal_exit"]);
  if (output === null && exit === null) return terminals;
  const updated = new Map(terminals);
  const outputId = looseLabel(output?.["terminal_id"]);
  if (outputId !== null && typeof output?.["data"] === "string") {
    // Version 2 of the protocol can replace all output.
    const isReplaced = output["replaces"] === true;
    const terminal = (isReplaced ? null : updated.get(outputId)) ?? NO_OUTPUT;
    const { whole, half } = splitHalf(terminal.half + output["data"]);
    const { text, held } = nextPiece(redactor, terminal.held, cleanText(whole));
    updated.set(outputId, { ...terminal, output: appendText(terminal.output, text), half, held });
  }
  const exitId = looseLabel(exit?.["terminal_id"]);
  if (exitId !== null) {
    const terminal = updated.get(exitId) ?? NO_OUTPUT;
    const code = looseNumber(exit?.["exit_code"]);
    updated.set(exitId, { ...terminal, exit: { code, signal: looseLabel(exit?.["signal"]) } });
  }
  return updated;
}

/** Converts the content, within the limit of a tool's output. Terminals that it does not mention follow at the end. */
export function showItems(
  items: readonly ToolItem[],
  terminals: ReadonlyMap<string, Terminal>,
): readonly MessageContent[] {
  const mentioned = new Set(
    items.flatMap((item) => (item.item === "terminal" ? [item.terminalId] : [])),
  );
  const others = [...terminals.keys()]
    .filter((terminalId) => !mentioned.has(terminalId))
    .map((terminalId): ToolItem => ({ item: "terminal", terminalId }));
  let room = MAX_BYTES;
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

const NO_OUTPUT: Terminal = { output: EMPTY_EXCERPT, half: "", held: NOTHING_HELD, exit: null };

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
        exitCode: exit?.code ?? null,
        signal: exit?.signal ?? null,
      };
    }
    default:
      return item satisfies never;
  }
}
