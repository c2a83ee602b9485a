import type { Message } from "@holdfast/protocol";
import { toToolCall } from "../tools/tool-call.ts";
import type { FileChange } from "./change-view.tsx";

/** What a use of a tool would change, as its agent showed it. The latest word on a file counts. */
export function changesOf(
  messages: readonly Message[],
  toolCallId: string | null,
): readonly FileChange[] {
  if (toolCallId === null) return [];
  const message = messages.findLast(({ content }) => content["callId"] === toolCallId);
  const items = message === undefined ? [] : (toToolCall(message)?.items ?? []);
  const byPath = new Map(
    items.flatMap((item) => (item.item === "diff" ? [[item.path, item] as const] : [])),
  );
  return [...byPath.values()].map(({ path, oldText, newText }) => ({ path, oldText, newText }));
}
