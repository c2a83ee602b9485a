import { isObject } from "@holdfast/client";
import type { Message } from "@holdfast/protocol";
import { capital } from "../api/session-name.ts";

/** The server's statuses; newer agents may send others. */
const STATUSES = [
  "pending",
  "in_progress",
  "completed",
  "failed",
  "cancelled",
  "unfinished",
] as const;

export type ToolItem =
  | { readonly item: "text"; readonly text: string }
  | {
      readonly item: "terminal";
      readonly text: string;
      readonly exit: string | null;
      /** The bytes in the middle that are not kept. */
      readonly omitted: number;
    }
  | {
      readonly item: "diff";
      readonly path: string;
      readonly oldText: string | null;
      readonly newText: string;
    }
  | { readonly item: "part"; readonly content: Readonly<Record<string, unknown>> };

/** A tool call as the page shows it. */
export interface ToolCall {
  readonly callId: string | null;
  readonly tool: string;
  readonly title: string;
  readonly kind: string;
  readonly status: (typeof STATUSES)[number];
  readonly locations: readonly { readonly path: string; readonly line: number | null }[];
  readonly input: string | null;
  readonly items: readonly ToolItem[];
  /** Whether the agent cut its output and named a file with the whole. */
  readonly namesFile: boolean;
}

/** Null for a message that is no tool call. */
export function toToolCall({ content, complete }: Message): ToolCall | null {
  const { type, tool, kind, status, locations, args, output, result } = content;
  if (type !== "tool" || typeof tool !== "string") return null;
  const isCommand = kind === "execute";
  const own = toItems(output);
  const items = own.length > 0 ? own : toResult(result, isCommand);
  return {
    callId: callIdOf(content),
    tool,
    title: toolName(content),
    kind: typeof kind === "string" ? kind : "other",
    status: toStatus(status, complete),
    locations: toLocations(locations),
    input: toInput(args),
    items: isCommand ? withExit(items.map(toPrinted), result) : items,
    namesFile: complete && Array.isArray(output) && output.some(namesFile),
  };
}

/** The title, or else the name of the tool. */
export function toolName({ title, tool }: Message["content"]): string {
  const line = typeof title === "string" ? oneLine(title) : "";
  return line === "" && typeof tool === "string" ? tool : line;
}

/** Such as "Full output saved to: /path". Agents have words of their own for it. */
const NAMED_FILE = /\bsaved to(?::\s*(?:- )?| )\//u;

function namesFile(item: unknown): boolean {
  return isObject(item) && typeof item["text"] === "string" && NAMED_FILE.test(item["text"]);
}

/** The id by which requests refer to a tool call. */
export function callIdOf({ type, callId }: Message["content"]): string | null {
  return type === "tool" && typeof callId === "string" ? callId : null;
}

/** The tool call of the sub-agent that produced the message; null if the agent itself did. */
export function parentOf({ parent }: Message["content"]): string | null {
  return typeof parent === "string" ? parent : null;
}

export function isDone({ status }: ToolCall): boolean {
  return status !== "pending" && status !== "in_progress";
}

/** Whether the call failed or its outcome is unknown. */
export function hasFailed({ status }: ToolCall): boolean {
  return status === "failed" || status === "unfinished";
}

function toStatus(status: unknown, complete: boolean): ToolCall["status"] {
  const known = STATUSES.find((each) => each === status);
  // Nothing of a run that has ended is still at work.
  if (complete && (known === "pending" || known === "in_progress")) return "unfinished";
  return known ?? (complete ? "completed" : "in_progress");
}

function toItems(output: unknown): readonly ToolItem[] {
  if (!Array.isArray(output)) return [];
  return output.flatMap((each: unknown) => (isObject(each) ? toItem(each) : []));
}

function toItem(content: Readonly<Record<string, unknown>>): readonly ToolItem[] {
  const { type, text, path, oldText, newText } = content;
  switch (type) {
    case "text":
      return typeof text === "string" && text.trim() !== "" ? [{ item: "text", text }] : [];
    case "terminal":
      return typeof text === "string" ? toTerminal(text, content) : [];
    case "diff":
      return typeof path === "string" && typeof newText === "string"
        ? [{ item: "diff", path, oldText: typeof oldText === "string" ? oldText : null, newText }]
        : [];
    default:
      return typeof type === "string" ? [{ item: "part", content }] : [];
  }
}

/** A terminal without output and exit has nothing to show. */
function toTerminal(
  text: string,
  { exitCode, signal, omittedBytes }: Readonly<Record<string, unknown>>,
): readonly ToolItem[] {
  const exit =
    typeof signal === "string"
      ? `ended by ${signal}`
      : typeof exitCode === "number"
        ? `exit code ${exitCode}`
        : null;
  const omitted = typeof omittedBytes === "number" ? omittedBytes : 0;
  return text === "" && exit === null ? [] : [{ item: "terminal", text, exit, omitted }];
}

/** What a running command prints; null if the call is over or has printed nothing. */
export function liveTextOf({ status, items }: ToolCall): string | null {
  if (status !== "in_progress") return null;
  const last = items.findLast((item) => item.item === "terminal");
  return last === undefined || last.text.trim() === "" ? null : last.text;
}

/** A command prints text. Some agents send it as a block of Markdown. */
function toPrinted(item: ToolItem): ToolItem {
  if (item.item !== "text") return item;
  return { item: "terminal", text: unfenced(item.text), exit: null, omitted: 0 };
}

const FENCED = /^\s*(`{3,}|~{3,})[^\n`]*\n(?<text>.*?)\n?\1\s*$/su;

function unfenced(text: string): string {
  return FENCED.exec(text)?.groups?.["text"] ?? text;
}

/** Some agents tell the exit code only in the result. */
function withExit(items: readonly ToolItem[], result: unknown): readonly ToolItem[] {
  const code = isObject(result) ? (result["exitCode"] ?? result["exit_code"]) : null;
  const last = items.at(-1);
  if (typeof code !== "number" || last?.item !== "terminal" || last.exit !== null) return items;
  return [...items.slice(0, -1), { ...last, exit: `exit code ${code}` }];
}

/** Tools without output may still have a result. */
function toResult(result: unknown, isCommand: boolean): readonly ToolItem[] {
  if (result === null || result === undefined || result === "") return [];
  const printed = isCommand && isObject(result) ? printedOf(result) : "";
  if (printed !== "") return [{ item: "text", text: printed }];
  return [{ item: "text", text: typeof result === "string" ? result : fenced(toJson(result)) }];
}

/** The output of a command as agents name it; empty for none. */
function printedOf(result: Readonly<Record<string, unknown>>): string {
  const { formatted_output: formatted, aggregated_output: both, stdout, stderr } = result;
  const whole = [formatted, both].find((text) => typeof text === "string" && text !== "");
  if (typeof whole === "string") return whole;
  return [stdout, stderr].filter((text) => typeof text === "string" && text !== "").join("\n");
}

/** A command as text, everything else as JSON. */
function toInput(args: unknown): string | null {
  if (args === null || args === undefined) return null;
  if (typeof args === "string") return args === "" ? null : args;
  if (isObject(args)) {
    const { command } = args;
    if (typeof command === "string") return command;
    if (Array.isArray(command) && command.every((word) => typeof word === "string")) {
      return command.join(" ");
    }
    if (Object.keys(args).length === 0) return null;
  }
  return toJson(args);
}

function toLocations(locations: unknown): ToolCall["locations"] {
  if (!Array.isArray(locations)) return [];
  return locations.flatMap((each: unknown) => {
    if (!isObject(each) || typeof each["path"] !== "string") return [];
    return [{ path: each["path"], line: typeof each["line"] === "number" ? each["line"] : null }];
  });
}

function toJson(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

/** Tool texts are Markdown. The fence is longer than any fence inside. */
function fenced(json: string): string {
  const ticks = Math.max(2, ...(json.match(/`+/gu) ?? []).map(({ length }) => length)) + 1;
  const fence = "`".repeat(ticks);
  return `${fence}json\n${json}\n${fence}`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/gu, " ").trim();
}

export interface TitlePart {
  readonly text: string;
  readonly isCode: boolean;
}

const CODE = /(`+)(?<code>.+?)(?<!`)\1(?!`)/u;

/** What agents put between backticks is code. */
export function titleParts(title: string): readonly TitlePart[] {
  const found = CODE.exec(title);
  if (found === null) return title === "" ? [] : [{ text: title, isCode: false }];
  const before = title.slice(0, found.index);
  const code = found.groups?.["code"] ?? "";
  const rest = title.slice(found.index + found[0].length);
  return [
    ...(before === "" ? [] : [{ text: before, isCode: false }]),
    { text: code.trim() === "" ? code : code.trim(), isCode: true },
    ...titleParts(rest),
  ];
}

/** The title without backticks. */
export function plainTitle(title: string): string {
  return titleParts(title)
    .map(({ text }) => text)
    .join("");
}

/** Whether the call has more than its line shows. */
export function hasDetails(call: ToolCall): boolean {
  return inputOf(call) !== null || placesOf(call).length > 0 || call.items.length > 0;
}

/** The input, unless the diff, the command line or the location already shows it. */
export function inputOf({ input, kind, title, items, locations }: ToolCall): string | null {
  const isShown =
    isChange(items) ||
    (kind === "execute" && input !== null && oneLine(input) === plainTitle(title)) ||
    (kind === "read" && locations.length > 0);
  return isShown ? null : input;
}

/** The locations, unless a diff shows them. */
export function placesOf({ locations, items }: ToolCall): ToolCall["locations"] {
  return isChange(items) ? [] : locations;
}

function isChange(items: readonly ToolItem[]): boolean {
  return items.some(({ item }) => item === "diff");
}

/** The phrases count files for file tools, and calls for the others. */
const PHRASES: ReadonlyMap<string, (count: number) => string> = new Map(
  Object.entries({
    read: (count: number) => `read ${files(count)}`,
    edit: (count: number) => `edited ${files(count)}`,
    delete: (count: number) => `deleted ${files(count)}`,
    move: (count: number) => `moved ${files(count)}`,
    search: (count: number) => (count === 1 ? "searched once" : `searched ${count} times`),
    execute: (count: number) => (count === 1 ? "ran 1 command" : `ran ${count} commands`),
    subagent: (count: number) => (count === 1 ? "used 1 sub-agent" : `used ${count} sub-agents`),
    fetch: (count: number) => (count === 1 ? "fetched 1 page" : `fetched ${count} pages`),
  }),
);

const FILE_KINDS: ReadonlySet<string> = new Set(["read", "edit", "delete", "move"]);

/** Summarises tool calls: "Edited 3 files, ran 2 commands, 1 failed". */
export function summarise(calls: readonly ToolCall[]): string {
  const others = (["failed", "unfinished", "cancelled"] as const).flatMap((ending) => {
    const count = calls.filter(({ status }) => status === ending).length;
    return count === 0 ? [] : [`${count} ${ending}`];
  });
  const phrases = [...phrasesOf(calls.filter(({ status }) => status === "completed")), ...others];
  return capital(phrases.join(", "));
}

/** In the order of first use. */
function phrasesOf(calls: readonly ToolCall[]): readonly string[] {
  const byKind = Map.groupBy(calls, ({ kind }) => (PHRASES.has(kind) ? kind : "other"));
  return [...byKind].map(([kind, ofKind]) => {
    const count = FILE_KINDS.has(kind) ? countFiles(ofKind) : ofKind.length;
    return PHRASES.get(kind)?.(count) ?? (count === 1 ? "used 1 tool" : `used ${count} tools`);
  });
}

/** A call without locations counts as one file. */
function countFiles(calls: readonly ToolCall[]): number {
  const paths = calls.flatMap(({ locations }) => locations.map(({ path }) => path));
  const nowhere = calls.filter(({ locations }) => locations.length === 0).length;
  return new Set(paths).size + nowhere;
}

function files(count: number): string {
  return count === 1 ? "1 file" : `${count} files`;
}
