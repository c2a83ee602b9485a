import type { Row } from "./rows.ts";
import type { TranscriptStore } from "./transcript-store.ts";

/** What is folded away could not be shown. */
export function openAround(store: TranscriptStore, row: Row, messageId: string): void {
  if (row.row !== "activity") return;
  if (row.messages.length > 1) store.setOpen(row.key, true);
  store.setOpen(messageId, true);
}
