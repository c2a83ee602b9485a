import type { Message } from "@holdfast/protocol";
import { toToolCall } from "../tools/tool-call.ts";
import type { FileChange } from "./change-view.tsx";

/** The changes of a tool call. The latest change of a file wins. */
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
