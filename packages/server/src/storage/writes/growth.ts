import type { Output } from "../ports/transcript-store.ts";
import { contentText } from "../rows/message-row.ts";
import { EventLog } from "./event-log.ts";

/** Output that only adds: new messages that are incomplete, and more text of open messages. */
export interface Growth {
  readonly entries: EventLog["pending"];
  readonly opened: readonly {
    readonly id: string;
    /** The place of its entry among the entries, from 1. */
    readonly place: number;
    readonly role: string;
    readonly content: string;
  }[];
  /** The stored messages that get more text. */
  readonly grown: readonly string[];
}

/** Null if the output does more, or may have been stored before. The entries are numbered from 1. */
export function growthOf({ sessionId, items, wasTried = false }: Output): Growth | null {
  if (wasTried) return null;
  const log = new EventLog(sessionId, 0);
  const opened = new Map<string, Growth["opened"][number]>();
  const grown = new Set<string>();
  for (const item of items) {
    if (item.put === "text") {
      log.addText(item.messageId, item.text, 0);
      if (!opened.has(item.messageId)) grown.add(item.messageId);
    } else if (item.put === "message" && !item.complete && !opened.has(item.message.id)) {
      const { id, role, content } = item.message;
      const place = log.nextSeq;
      log.addMessage(id, 0, null, 0);
      opened.set(id, { id, place, role, content: contentText(content, false) });
    } else {
      return null;
    }
  }
  return { entries: log.pending, opened: [...opened.values()], grown: [...grown] };
}
