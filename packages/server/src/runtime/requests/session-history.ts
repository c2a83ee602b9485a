import { isObject, type Json } from "../../domain/json.ts";
import type { Message, MessageContent } from "../../domain/message.ts";
import type { Store } from "../../storage/store.ts";
import type { Reply } from "../reply.ts";
import { withSession } from "../session-snapshot.ts";

export interface ReadHistory {
  readonly sessionId: string;
  /** Maximum number of messages: the newest, or the first ones after `after`. */
  readonly limit: number;
  readonly after: number | null;
  /** Only messages with this text, in any case. */
  readonly search: string | null;
}

/** Messages as bounded text. */
export interface History {
  readonly messages: readonly HistoryEntry[];
  /** Number of other messages with text: older ones, or newer ones if `after` is set. */
  readonly leftOut: number;
}

export interface HistoryEntry extends Pick<Message, "seq" | "role" | "at"> {
  readonly text: string;
  /** Number of characters cut from the end. */
  readonly cut: number;
}

/** Bytes of all texts together, so that a tool's whole result stays within 32 KiB. */
const MAX_BYTES = 28 * 1024;
const MAX_ENTRY = 4_000;
/** The size of an entry without its text. */
const ENTRY_BYTES = 64;
const PAGE = 500;

/** The messages of a session as text: the newest that fit, or the next ones after a position. */
export function readHistory(store: Store, query: ReadHistory): Promise<Reply<History>> {
  return withSession(store, query.sessionId, () => historyOf(store, query));
}

async function historyOf(store: Store, query: ReadHistory): Promise<History> {
  const { limit, after, search } = query;
  const wantsNewest = after === null;
  const entries: HistoryEntry[] = [];
  let matches = 0;
  for await (const message of messagesAfter(store, query)) {
    const text = textOf(message.content);
    if (text === "" || !matchesSearch(text, search)) continue;
    matches += 1;
    if (wantsNewest || entries.length < limit) entries.push(toEntry(message, text));
    if (entries.length > limit) entries.shift();
  }
  const fitting = wantsNewest
    ? withinBytes(entries.toReversed()).toReversed()
    : withinBytes(entries);
  return { messages: fitting, leftOut: matches - fitting.length };
}

async function* messagesAfter(
  store: Store,
  { sessionId, after }: ReadHistory,
): AsyncGenerator<Message> {
  let last = after ?? 0;
  for (;;) {
    const page = await store.readMessages({ sessionId, after: last, limit: PAGE });
    yield* page;
    last = page.at(-1)?.seq ?? last;
    if (page.length < PAGE) return;
  }
}

function matchesSearch(text: string, search: string | null): boolean {
  return search === null || text.toLowerCase().includes(search.toLowerCase());
}

function toEntry({ seq, role, at }: Message, fullText: string): HistoryEntry {
  const text = fullText.slice(0, MAX_ENTRY);
  return { seq, role, at, text, cut: fullText.length - text.length };
}

/** The first entries that fit into `MAX_BYTES`. */
function withinBytes(entries: readonly HistoryEntry[]): readonly HistoryEntry[] {
  let bytes = 0;
  const end = entries.findIndex(({ text }) => {
    bytes += Buffer.byteLength(text) + ENTRY_BYTES;
    return bytes > MAX_BYTES;
  });
  return end === -1 ? entries : entries.slice(0, end);
}

function textOf({ type, text, title, tool, status, steps, parts }: MessageContent): string {
  switch (type) {
    case "text":
      return textIn(text);
    case "tool":
      return `used ${textIn(title) || textIn(tool) || "a tool"} (${textIn(status) || "unknown"})`;
    case "plan":
      return `plan: ${JSON.stringify(steps ?? null)}`;
    case "parts":
      return Array.isArray(parts) ? parts.map(partIn).join("\n") : "";
    default:
      return "";
  }
}

function partIn(part: Json): string {
  if (!isObject(part)) return "";
  return textIn(part["text"]) || `(${textIn(part["type"]) || "something"})`;
}

function textIn(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
