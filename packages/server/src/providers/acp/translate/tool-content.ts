import { cleanText } from "../../../domain/clean-text.ts";
import type { MessageContent } from "../../../domain/message.ts";
import { contentOfBlock, fitContent } from "./content-block.ts";
import { appendPieces, keepText, KEPT_BYTES, NO_PIECES, type Pieces } from "../wire/kept.ts";
import { splitHalf } from "./text-stream.ts";
import {
  looseLabel,
  looseList,
  looseNumber,
  looseObject,
  looseText,
  type Loose,
} from "../wire/loose.ts";

/** What a tool call has to show: blocks and diffs, each already cut to size, terminals by reference. */
export type ToolItem =
  | { readonly item: "block"; readonly content: MessageContent }
  | {
      readonly item: "diff";
      readonly path: string;
      readonly oldText: string | null;
      readonly newText: string;
    }
  | { readonly item: "terminal"; readonly terminalId: string };

/** The output of a command as an agent passes it on that runs its commands itself. */
export interface Terminal {
  readonly output: Pieces;
  /** Half a character whose other half has not come yet. */
  readonly held: string;
  readonly exit: { readonly code: number | null; readonly signal: string | null } | null;
}

const MAX_ITEMS = 200;

export function parseToolItems(content: unknown): readonly ToolItem[] {
  return looseList(content).slice(0, MAX_ITEMS).flatMap(parseToolItem);
}

export function parseToolItem(content: unknown): readonly ToolItem[] {
  const item = looseObject(content);
  switch (item?.["type"]) {
    case "content": {
      const block = contentOfBlock(item["content"], KEPT_BYTES);
      return block === null ? [] : [{ item: "block", content: block }];
    }
    case "diff":
      return parseDiff(item);
    case "terminal": {
      const terminalId = looseLabel(item["terminalId"]);
      return terminalId === null ? [] : [{ item: "terminal", terminalId }];
    }
    default:
      return [];
  }
}

/**
 * New content takes the place of the old, except for diffs: some agents replace the change they showed by the
 * word that it was made, and the change is what one wants to see later.
 */
export function replaceItems(
  old: readonly ToolItem[],
  content: readonly ToolItem[],
): readonly ToolItem[] {
  const paths = new Set(content.flatMap((item) => (item.item === "diff" ? [item.path] : [])));
  const diffs = old.filter((item) => item.item === "diff" && !paths.has(item.path));
  return [...diffs, ...content].slice(0, MAX_ITEMS);
}

/** `_meta` of agents that report terminals the client never made. */
export function updateTerminals(
  terminals: ReadonlyMap<string, Terminal>,
  meta: Loose | null,
): ReadonlyMap<string, Terminal> {
  const output = looseObject(meta?.["terminal_output"]);
  const exit = looseObject(meta?.["terminal_exit"]);
  if (output === null && exit === null) return terminals;
  const updated = new Map(terminals);
  const outputOf = looseLabel(output?.["terminal_id"]);
  if (outputOf !== null && typeof output?.["data"] === "string") {
    const known = updated.get(outputOf) ?? NO_OUTPUT;
    const { whole, half } = splitHalf(known.held + output["data"]);
    const more = appendPieces(known.output, cleanText(whole));
    updated.set(outputOf, { ...known, output: more, held: half });
  }
  const exitOf = looseLabel(exit?.["terminal_id"]);
  if (exitOf !== null) {
    const known = updated.get(exitOf) ?? NO_OUTPUT;
    const code = looseNumber(exit?.["exit_code"]);
    updated.set(exitOf, { ...known, exit: { code, signal: looseLabel(exit?.["signal"]) } });
  }
  return updated;
}

/** All of it as a message can hold it, together not more than is kept of a tool's output. */
export function showItems(
  items: readonly ToolItem[],
  terminals: ReadonlyMap<string, Terminal>,
): readonly MessageContent[] {
  let room = KEPT_BYTES;
  const shown: MessageContent[] = [];
  for (const item of withLooseTerminals(items, terminals)) {
    const content = showItem(item, { terminals, room });
    room = Math.max(0, room - roughSize(content));
    shown.push(content);
  }
  return shown;
}

/** What the output says in words, for those who look at nothing but a result. */
export function textOfOutput(output: readonly MessageContent[]): string | null {
  const texts = output.flatMap(({ type, text }) =>
    (type === "text" || type === "terminal") && typeof text === "string" && text !== ""
      ? [text]
      : [],
  );
  return texts.length === 0 ? null : texts.join("\n");
}

const NO_OUTPUT: Terminal = { output: NO_PIECES, held: "", exit: null };

function roughSize(content: MessageContent): number {
  return Object.values(content)
    .map((value) => (typeof value === "string" ? Buffer.byteLength(value) : 8))
    .reduce((sum, size) => sum + size, 0);
}

function showItem(
  item: ToolItem,
  { terminals, room }: { terminals: ReadonlyMap<string, Terminal>; room: number },
): MessageContent {
  switch (item.item) {
    case "block":
      return fitContent(item.content, room);
    case "diff": {
      const { path, oldText, newText } = item;
      return {
        type: "diff",
        path,
        oldText: oldText === null ? null : keepText(oldText, room / 2),
        newText: keepText(newText, room / 2),
      };
    }
    case "terminal": {
      const { output, exit } = terminals.get(item.terminalId) ?? NO_OUTPUT;
      return {
        type: "terminal",
        terminalId: item.terminalId,
        text: keepText(output, room),
        exitCode: exit?.code ?? null,
        signal: exit?.signal ?? null,
      };
    }
    default:
      return item satisfies never;
  }
}

/** Output of a terminal that the content does not mention is shown after it. */
function withLooseTerminals(
  items: readonly ToolItem[],
  terminals: ReadonlyMap<string, Terminal>,
): readonly ToolItem[] {
  const mentioned = new Set(
    items.flatMap((item) => (item.item === "terminal" ? [item.terminalId] : [])),
  );
  const others = [...terminals.keys()].filter((terminalId) => !mentioned.has(terminalId));
  return [...items, ...others.map((terminalId) => ({ item: "terminal" as const, terminalId }))];
}

function parseDiff(diff: Loose): readonly ToolItem[] {
  const path = looseLabel(diff["path"], 4_000);
  const oldText = looseText(diff["oldText"]);
  const newText = looseText(diff["newText"]);
  if (path === null || newText === null) return [];
  return [
    {
      item: "diff",
      path,
      oldText: oldText === null ? null : keepText(oldText),
      newText: keepText(newText),
    },
  ];
}
