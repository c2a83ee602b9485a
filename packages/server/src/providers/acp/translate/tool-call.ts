import type { Json } from "../../../domain/json.ts";
import type { MessageContent } from "../../../domain/message.ts";
import { keepJson } from "../wire/kept.ts";
import { looseLabel, looseList, looseNumber, looseObject, type Loose } from "../wire/loose.ts";
import {
  parseToolItem,
  parseToolItems,
  replaceItems,
  showItems,
  textOfOutput,
  updateTerminals,
  type Terminal,
  type ToolItem,
} from "./tool-content.ts";

/** In the order of a call's life: one never goes back to an earlier line. */
export type ToolStatus =
  /** Announced; it waits for its input or for a permission. */
  | "pending"
  | "in_progress"
  /** The agent said how it ended. `cancelled` is said by the agent, or true because its prompt was cancelled. */
  | "completed"
  | "failed"
  | "cancelled"
  /** Its prompt is over, and the agent never said how the call ended: it may be half done. */
  | "unfinished";

/** What is known of one tool call, built up from everything said about it. */
export interface ToolCall {
  readonly callId: string;
  readonly name: string | null;
  readonly title: string | null;
  readonly kind: string | null;
  readonly status: ToolStatus;
  readonly input: Json;
  readonly result: Json;
  readonly locations: readonly { readonly path: string; readonly line: number | null }[];
  readonly items: readonly ToolItem[];
  readonly terminals: ReadonlyMap<string, Terminal>;
}

const MAX_LOCATIONS = 100;

export function newToolCall(callId: string): ToolCall {
  return {
    callId,
    name: null,
    title: null,
    kind: null,
    status: "pending",
    input: null,
    result: null,
    locations: [],
    items: [],
    terminals: new Map(),
  };
}

/** Adds a `tool_call`, a `tool_call_update` or the tool call of a permission request: all are patches by id. */
export function patchToolCall(call: ToolCall, patch: Loose): ToolCall {
  const meta = looseObject(patch["_meta"]);
  return {
    callId: call.callId,
    name: toolNameOf(patch) ?? call.name,
    title: looseLabel(patch["title"], 2_000) ?? call.title,
    kind: looseLabel(patch["kind"]) ?? call.kind,
    status: laterStatus(call.status, patch["status"]),
    input: hasValue(patch["rawInput"]) ? keepJson(patch["rawInput"]) : call.input,
    result: hasValue(patch["rawOutput"]) ? keepJson(patch["rawOutput"]) : call.result,
    locations: Array.isArray(patch["locations"])
      ? parseLocations(patch["locations"])
      : call.locations,
    items: Array.isArray(patch["content"])
      ? replaceItems(call.items, parseToolItems(patch["content"]))
      : call.items,
    terminals: updateTerminals(call.terminals, meta),
  };
}

/** Adds one more piece of content. */
export function extendToolCall(call: ToolCall, content: unknown): ToolCall {
  return { ...call, items: [...call.items, ...parseToolItem(content)] };
}

export function hasEnded({ status }: ToolCall): boolean {
  return ORDER[status] === LAST;
}

/** Some agents announce a call with an empty input, and send it when they know it. */
export function hasInput({ input }: ToolCall): boolean {
  return input !== null && (typeof input !== "object" || Object.keys(input).length > 0);
}

/** Whether a patch that ends a call also says what came of it; some agents say that in the next one. */
export function saysResult(patch: Loose): boolean {
  return (
    hasValue(patch["rawOutput"]) ||
    looseList(patch["content"]).length > 0 ||
    looseObject(looseObject(patch["_meta"])?.["terminal_exit"]) !== null
  );
}

export function toolMessage(call: ToolCall): MessageContent {
  const output = showItems(call.items, call.terminals);
  const result = call.result ?? (hasEnded(call) ? textOfOutput(output) : null);
  return {
    type: "tool",
    tool: call.name ?? call.kind ?? "tool",
    args: call.input,
    result,
    callId: call.callId,
    title: call.title ?? call.name ?? call.kind ?? "Tool call",
    kind: call.kind,
    status: call.status,
    locations: call.locations.map(({ path, line }) => ({ path, line })),
    output,
  };
}

/** The protocol has a field for a tool's name that few agents use; two have their own place for it. */
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

function laterStatus(known: ToolStatus, told: unknown): ToolStatus {
  const status = parseStatus(told);
  return status !== null && ORDER[status] > ORDER[known] ? status : known;
}

function parseStatus(told: unknown): ToolStatus | null {
  switch (told) {
    case "pending":
    case "in_progress":
    case "completed":
    case "failed":
    case "cancelled":
      return told;
    case "paused":
      return "in_progress";
    default:
      return null;
  }
}

function parseLocations(locations: unknown): ToolCall["locations"] {
  return looseList(locations)
    .slice(0, MAX_LOCATIONS)
    .flatMap((item) => {
      const location = looseObject(item);
      const path = looseLabel(location?.["path"], 4_000);
      return path === null ? [] : [{ path, line: looseNumber(location?.["line"]) }];
    });
}

function hasValue(value: unknown): boolean {
  return value !== undefined && value !== null;
}
