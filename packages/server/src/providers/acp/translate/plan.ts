import type { MessageContent } from "../../../domain/message.ts";
import { keepText } from "../wire/kept.ts";
import { looseLabel, looseList, looseObject, looseText, type Loose } from "../wire/loose.ts";

const MAX_STEPS = 200;
const MAX_STEP_BYTES = 4 * 1024;

/** A `plan`, or a `plan_update` with the plan inside; null when there is no plan to be read. */
export function planContent(update: Loose): MessageContent | null {
  const plan = looseObject(update["plan"]) ?? update;
  if (Array.isArray(plan["entries"])) return { type: "plan", steps: parseSteps(plan["entries"]) };
  const markdown = plan["type"] === "markdown" ? looseText(plan["content"]) : null;
  return markdown === null ? null : { type: "plan", steps: [], text: keepText(markdown) };
}

function parseSteps(
  entries: unknown,
): { readonly content: string; readonly status: string; readonly priority: string }[] {
  return looseList(entries)
    .slice(0, MAX_STEPS)
    .flatMap((item) => {
      const entry = looseObject(item);
      const content = looseText(entry?.["content"]);
      if (content === null) return [];
      return [
        {
          content: keepText(content, MAX_STEP_BYTES),
          status: looseLabel(entry?.["status"]) ?? "pending",
          priority: looseLabel(entry?.["priority"]) ?? "medium",
        },
      ];
    });
}
