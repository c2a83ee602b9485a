import type { Json } from "../../../domain/json.ts";
import type { MessageContent } from "../../../domain/message.ts";
import { NOTHING_HELD, type HeldText, type Redactor } from "../../secrets/redactor.ts";
import { looseLabel, looseList, looseNumber, looseObject, type Loose } from "../wire/loose.ts";
import { MAX_BYTES, shortenJson } from "../wire/shorten.ts";
import {
  appendItem,
  cleanChunk,
  parseToolItems,
  replaceItems,
  showItems,
  textOfOutput,
  updateTerminals,
  withExit,
  type Terminal,
  type ToolItem,
} from "./tool-content.ts";

/** In the order of a call's life. A call never returns to an earlier status. */
export type ToolStatus =
  /** Waits for its input or for permission. */
  | "pending"
  | "in_progress"
  | "completed"
  | "failed"
  /** The agent said so, or its prompt was cancelled. */
  | "cancelled"
  /** The prompt ended before the agent reported the end of the call, which may be half done. */
  | "unfinished";

/** A tool call, merged from all messages about it. */
export interface ToolCall {
  readonly callId: string;
  /** How much of its output is kept, in bytes. */
  readonly limit: number;
  readonly name: string | null;
  readonly title: string | null;
  readonly kind: string | null;
  readonly status: ToolStatus;
  readonly input: Json;
  readonly result: Json;
  readonly locations: readonly { readonly path: string; readonly line: number | null }[];
  readonly items: readonly ToolItem[];
  readonly terminals: ReadonlyMap<string, Terminal>;
  /** The end of the last content chunk. */
  readonly held: HeldText;
}

const MAX_LOCATIONS = 100;

export function newToolCall(callId: string, limit = MAX_BYTES): ToolCall {
  return {
    callId,
    limit,
    name: null,
    title: null,
    kind: null,
    status: "pending",
    input: null,
    result: null,
    locations: [],
    items: [],
    terminals: new Map(),
    held: NOTHING_HELD,
  };
}

/** Applies a `tool_call`, a `tool_call_update` or the tool call of a permission request. */
export function patchToolCall(call: ToolCall, patch: Loose, redactor: Redactor): ToolCall {
  const { rawInput, rawOutput, locations, content } = patch;
  return {
    callId: call.callId,
    limit: call.limit,
    name: toolNameOf(patch) ?? call.name,
    title: looseLabel(patch["title"], 2_000) ?? call.title,
    kind: looseLabel(patch["kind"]) ?? call.kind,
    status: laterStatus(call.status, patch["status"]),
    input: hasValue(rawInput) ? shortenJson(rawInput) : call.input,
    result: hasValue(rawOutput) ? shortenJson(rawOutput, call.limit) : call.result,
    locations: Array.isArray(locations) ? parseLocations(locations) : call.locations,
    items: Array.isArray(content)
      ? replaceItems(call.items, parseToolItems(content, call.limit))
      : call.items,
    terminals: withExit(
      updateTerminals(call.terminals, looseObject(patch["_meta"]), redactor, call.limit),
      rawOutput,
    ),
    held: call.held,
  };
}

export function extendToolCall(call: ToolCall, content: unknown, redactor: Redactor): ToolCall {
  const { content: clean, held } = cleanChunk(content, call.held, redactor);
  return { ...call, held, items: appendItem(call.items, clean, call.limit) };
}

export function hasEnded({ status }: ToolCall): boolean {
  return ORDER[status] === LAST;
}

/** Some agents announce a call with an empty input, and send the input later. */
export function hasInput({ input }: ToolCall): boolean {
  return input !== null && (typeof input !== "object" || Object.keys(input).length > 0);
}

/** Whether a patch contains the result of the call; some agents send it after the patch that ends the call. */
export function hasResult(patch: Loose): boolean {
  return (
    hasValue(patch["rawOutput"]) ||
    looseList(patch["content"]).length > 0 ||
    looseObject(looseObject(patch["_meta"])?.["terminal_exit"]) !== null
  );
}

export function toolMessage(call: ToolCall): MessageContent {
  const output = showItems(call.items, call.terminals, call.limit);
  return {
    type: "tool",
    tool: call.name ?? call.kind ?? "tool",
    args: call.input,
    result: call.result ?? (hasEnded(call) ? textOfOutput(output) : null),
    callId: call.callId,
    title: call.title ?? call.name ?? call.kind ?? "Tool call",
    kind: call.kind,
    status: call.status,
    locations: call.locations.map(({ path, line }) => ({ path, line })),
    output,
  };
}

/** Few agents use the protocol's field for the name of a tool. */
export function toolNameOf(patch: Loose): string | null {
  const meta = looseObject(patch["_meta"]);
  return (
    looseLabel(patch["name"]) ??
    looseLabel(meta?.["toolName"]) ??
    looseLabel(looseObject(meta?.["claudeCode"])?.["toolName"])
  );
}

const LAST = 2;
const ORDER: Readonly<Record<ToolStatus, number>> = {
  pending: 0,
  in_progress: 1,
  completed: LAST,
  failed: LAST,
  cancelled: LAST,
  unfinished: LAST,
};

function laterStatus(current: ToolStatus, next: unknown): ToolStatus {
  const status = parseStatus(next);
  return status !== null && ORDER[status] > ORDER[current] ? status : current;
}

function parseStatus(status: unknown): ToolStatus | null {
  switch (status) {
    case "pending":
    case "in_progress":
    case "completed":
    case "failed":
    case "cancelled":
      return status;
    case "paused":
      return "in_progress";
    default:
      return null;
  }
}

function parseLocations(locations: readonly unknown[]): ToolCall["locations"] {
  return locations.slice(0, MAX_LOCATIONS).flatMap((item) => {
    const location = looseObject(item);
    const path = looseLabel(location?.["path"], 4_000);
    return path === null ? [] : [{ path, line: looseNumber(location?.["line"]) }];
  });
}

function hasValue(value: unknown): boolean {
  return value !== undefined && value !== null;
}
