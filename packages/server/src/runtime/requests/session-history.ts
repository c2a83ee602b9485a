import type { Json } from "../../domain/json.ts";
import type { Message, MessageContent } from "../../domain/message.ts";
import type { Store } from "../../storage/store.ts";
import { noSuchSession, type Reply } from "../reply.ts";
import type { History, HistoryEntry, ReadHistory } from "../runtime.ts";
import { snapshotOf } from "../session-snapshot.ts";

/** Bytes of all texts together, so that a tool's whole result stays within 32 KiB. */
const MAX_BYTES = 28 * 1024;
const MAX_ENTRY = 4_000;
/** What an entry costs besides its text: who, when, where. */
const ENTRY_BYTES = 64;
const PAGE = 500;

/** What was said in a session, in words: the newest that have room, or the next after a place. */
export async function readHistory(store: Store, query: ReadHistory): Promise<Reply<History>> {
  if ((await snapshotOf(store, query.sessionId)) === null) return noSuchSession();
  const { limit, after, search } = query;
  const wantsNewest = after === null;
  const found: HistoryEntry[] = [];
  let matching = 0;
  for await (const message of messagesAfter(store, query)) {
    const words = wordsOf(message.content);
    if (words === "" || !isAbout(words, search)) continue;
    matching += 1;
    if (wantsNewest || found.length < limit) found.push(toEntry(message, words));
    if (found.length > limit) found.shift();
  }
  const kept = wantsNewest ? withinBytes(found.toReversed()).toReversed() : withinBytes(found);
  return { ok: true, messages: kept, leftOut: matching - kept.length };
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

function isAbout(words: string, search: string | null): boolean {
  return search === null || words.toLowerCase().includes(search.toLowerCase());
}

function toEntry({ seq, role, at }: Message, words: string): HistoryEntry {
  const text = words.slice(0, MAX_ENTRY);
  return { seq, role, at, text, cut: words.length - text.length };
}

/** As many from the first on as have room. */
function withinBytes(entries: readonly HistoryEntry[]): readonly HistoryEntry[] {
  let bytes = 0;
  const end = entries.findIndex(({ text }) => {
    bytes += Buffer.byteLength(text) + ENTRY_BYTES;
    return bytes > MAX_BYTES;
  });
  return end === -1 ? entries : entries.slice(0, end);
}

function wordsOf({ type, text, title, tool, status, steps, parts }: MessageContent): string {
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
  if (typeof part !== "object" || part === null) return "";
  const fields = new Map<string, Json>(Object.entries(part));
  return textIn(fields.get("text")) || `(${textIn(fields.get("type")) || "something"})`;
}

function textIn(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
