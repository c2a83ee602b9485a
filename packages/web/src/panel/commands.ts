import type { Message } from "@holdfast/protocol";
import { toToolCall, type ToolCall, type ToolItem } from "../tools/tool-call.ts";

export type TerminalItem = Extract<ToolItem, { item: "terminal" }>;

/** A command that the agent ran. */
export interface Command {
  readonly messageId: string;
  readonly line: string;
  readonly status: ToolCall["status"];
  readonly outputs: readonly TerminalItem[];
}

/** The commands among the messages, the last one first. */
export function commandsOf(messages: readonly Message[]): readonly Command[] {
  return messages
    .toSorted((one, other) => other.seq - one.seq)
    .flatMap((message) => {
      const call = toToolCall(message);
      return call?.kind === "execute" ? [toCommand(message.id, call)] : [];
    });
}

function toCommand(messageId: string, { input, title, status, items }: ToolCall): Command {
  const isLine = input !== null && !input.startsWith("{");
  return {
    messageId,
    line: isLine ? input : title.replaceAll(/^`|`$/gu, ""),
    status,
    outputs: items.filter((item) => item.item === "terminal"),
  };
}
