import { setImmediate } from "node:timers/promises";
import type { MessageFormat, MessageJson, Store } from "../storage/store.ts";

/** Messages in the first read, when their length is unknown. */
const FIRST_PAGE = 8;
const MAX_PAGE = 500;
/** Target for the bytes of messages in memory; long messages are read in smaller pages. */
const PAGE_BYTES = 1024 * 1024;

export interface MessagesUntil {
  readonly sessionId: string;
  /** The sequence number of the last event that counts. */
  readonly lastSeq: number;
  readonly format: MessageFormat;
}

/** All messages as JSON, in pages. Yields to the event loop between two pages. */
export async function* messagePages(
  store: Pick<Store, "readMessageJson">,
  { sessionId, lastSeq, format }: MessagesUntil,
): AsyncGenerator<MessageJson> {
  const query = { sessionId, part: "first", before: lastSeq + 1, format } as const;
  let after = 0;
  let limit = FIRST_PAGE;
  while (after < lastSeq) {
    const page = await store.readMessageJson({ ...query, after, limit });
    const { last, count, json } = page;
    if (last !== null) yield page;
    // Unreadable messages are left out, so an empty page need not be the last.
    else if (limit >= lastSeq - after) return;
    limit = last === null ? 2 * limit : fitting(json.length / count);
    after = last ?? after;
    await setImmediate();
  }
}

/** The number of messages that fit into `PAGE_BYTES` at their average length. */
function fitting(bytesEach: number): number {
  return Math.max(1, Math.min(MAX_PAGE, Math.floor(PAGE_BYTES / bytesEach)));
}
