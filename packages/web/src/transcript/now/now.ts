import type { Message } from "@holdfast/protocol";
import { plainTitle, toolName } from "../../tools/tool-call.ts";

/** What the agent does now, in words; null before it has done anything for the last message. */
export type Now = string | null;

/** The latest message that is not complete says it. */
export function nowOf(messages: readonly Message[]): Now {
  let hasWorked = false;
  for (let at = messages.length - 1; at >= 0; at -= 1) {
    const message = messages[at];
    if (message === undefined || isStart(message)) break;
    if (!message.complete) return wordsOf(message);
    hasWorked ||= message.role !== "system" || message.content.type === "tool";
  }
  return hasWorked ? "Working…" : null;
}

/** The message that the run answers. One that was given to the agent during its run is part of the run. */
function isStart({ role, content }: Message): boolean {
  return role === "user" && content["injected"] !== true;
}

function wordsOf({ content }: Message): string {
  switch (content.type) {
    case "tool":
      return plainTitle(toolName(content));
    case "thought":
      return "Thinking…";
    case "text":
      return "Writing…";
    default:
      return "Working…";
  }
}
