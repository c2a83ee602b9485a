import { cleanText } from "../../../domain/clean-text.ts";
import type { MessageContent } from "../../../domain/message.ts";
import { textOfBlock } from "./content-block.ts";
import { keepText, type Pieces } from "../wire/kept.ts";
import { looseLabel, looseList, looseText, type Loose } from "../wire/loose.ts";

/** A `notice`: something the agent's program, not its model, wants known. */
export function noticeMessage(update: Loose): MessageContent | null {
  const title = looseLabel(update["title"], 2_000);
  const description = looseText(update["description"]);
  const text = [title, description].filter((part) => part !== null && part !== "").join("\n\n");
  if (text === "") return null;
  return {
    type: "text",
    text: keepText(text),
    notice: "agent_notice",
    severity: looseLabel(update["severity"]) ?? "info",
  };
}

/** A `compaction_update` that says how it ended, with its summary, which may have come before; null until then. */
export function compactionMessage(update: Loose, before: Pieces): MessageContent | null {
  switch (update["status"]) {
    case "completed": {
      const told = looseList(update["summary"])
        .map((block) => looseText(textOfBlock(block)))
        .filter((text) => text !== null && text !== "")
        .join("\n");
      const summary = told === "" ? cleanText(keepText(before)) : told;
      const text = "The agent has shortened what it remembers of this session.";
      return compaction(summary === "" ? text : `${text}\n\n${summary}`, "info");
    }
    case "failed": {
      const error = looseLabel(update["error"], 2_000);
      const text = "The agent could not shorten what it remembers of this session";
      return compaction(error === null ? `${text}.` : `${text}: ${error}`, "warning");
    }
    default:
      return null;
  }
}

function compaction(text: string, severity: "info" | "warning"): MessageContent {
  return { type: "text", text: keepText(text), notice: "agent_compaction", severity };
}
