import type {
  ToolCall,
  ToolCallContent,
  ToolCallLocation,
  ToolCallStatus,
  ToolCallUpdate,
  ToolKind,
} from "@agentclientprotocol/sdk/unstable";
import { isObject } from "@holdfast/client";
import type { MessageContent } from "@holdfast/protocol";
import { textOf } from "../../text-of.ts";
import { present, textBlock, toBlock } from "./blocks.ts";

type Loose = Readonly<Record<string, unknown>>;

/** A tool call as an editor gets it. */
export type ToolView = ToolCall;

export interface ToolOptions {
  /** The editor shows terminals of the agent, with their output in `_meta`. */
  readonly terminals: boolean;
  /** The absolute path of a file that the agent named. */
  readonly absolute: (path: string) => string;
}

const KINDS: ReadonlySet<string> = new Set<ToolKind>([
  "read",
  "edit",
  "delete",
  "move",
  "search",
  "execute",
  "think",
  "fetch",
  "switch_mode",
  "other",
]);

/** `id`: of the message, for a call without an ID of its own. */
export function toolView(id: string, content: MessageContent, options: ToolOptions): ToolView {
  const call: Loose = content;
  const items = listOf(call["output"]).filter(isObject);
  const kind = textOf(call["kind"]);
  const toolCallId = textOf(call["callId"]) ?? id;
  return {
    toolCallId,
    title: textOf(call["title"]) ?? textOf(call["tool"]) ?? "Tool call",
    kind: isKind(kind) ? kind : "other",
    status: statusOf(textOf(call["status"])),
    content: items.map((item) => contentOf(toolCallId, item, options)),
    locations: locationsOf(call["locations"], options),
    ...present({ rawInput: call["args"], rawOutput: rawOutput(call) }),
  };
}

/** The fields that changed; null if none did. */
export function changedFields(before: ToolView, now: ToolView): ToolCallUpdate | null {
  const { toolCallId } = now;
  const changed = Object.entries(now).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify((before as Loose)[name]),
  );
  return changed.length === 0 ? null : { toolCallId, ...Object.fromEntries(changed) };
}

/** The terminals among the output of a call. */
export interface TerminalOutput {
  readonly terminalId: string;
  readonly text: string;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly hasExited: boolean;
}

export function terminalsOf(toolCallId: string, content: MessageContent): TerminalOutput[] {
  return listOf(content["output"])
    .filter(isObject)
    .filter((item) => item["type"] === "terminal")
    .map((item) => {
      const exitCode = typeof item["exitCode"] === "number" ? item["exitCode"] : null;
      const signal = textOf(item["signal"]);
      return {
        terminalId: terminalIdOf(toolCallId, item),
        text: textOf(item["text"]) ?? "",
        exitCode,
        signal,
        hasExited: exitCode !== null || signal !== null,
      };
    });
}

function contentOf(
  toolCallId: string,
  item: Loose,
  { terminals, absolute }: ToolOptions,
): ToolCallContent {
  switch (item["type"]) {
    case "diff":
      return {
        type: "diff",
        path: absolute(textOf(item["path"]) ?? ""),
        oldText: textOf(item["oldText"]),
        newText: textOf(item["newText"]) ?? "",
      };
    case "terminal":
      return terminals
        ? { type: "terminal", terminalId: terminalIdOf(toolCallId, item) }
        : { type: "content", content: textBlock(consoleText(item)) };
    default:
      return { type: "content", content: toBlock(item) };
  }
}

/** The output of a command as Markdown, for editors that do not show terminals of agents. */
function consoleText(item: Loose): string {
  const text = textOf(item["text"]) ?? "";
  const longest = Math.max(2, ...[...text.matchAll(/`+/gu)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  const code = item["exitCode"];
  const exit = typeof code === "number" && code !== 0 ? `\nExit code ${code}` : "";
  return `${fence}console\n${text.replace(/\n$/u, "")}\n${fence}${exit}`;
}

function terminalIdOf(toolCallId: string, item: Loose): string {
  return textOf(item["terminalId"]) ?? `${toolCallId}-terminal`;
}

/** A result that is only the text of the output is not repeated. */
function rawOutput({ result, output }: Loose): unknown {
  return typeof result === "string" && Array.isArray(output) && output.length > 0 ? null : result;
}

function locationsOf(locations: unknown, { absolute }: ToolOptions): ToolCallLocation[] {
  return listOf(locations)
    .filter(isObject)
    .flatMap(({ path, line }) =>
      typeof path === "string"
        ? [
            {
              path: absolute(path),
              ...(typeof line === "number" && Number.isInteger(line) && line >= 0 && { line }),
            },
          ]
        : [],
    );
}

/** The protocol has no word for calls that were cancelled or cut off. */
function statusOf(status: string | null): ToolCallStatus {
  switch (status) {
    case "pending":
    case "in_progress":
    case "completed":
    case "failed":
      return status;
    case "cancelled":
    case "unfinished":
      return "failed";
    default:
      return "completed";
  }
}

function isKind(kind: string | null): kind is ToolKind {
  return kind !== null && KINDS.has(kind);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
