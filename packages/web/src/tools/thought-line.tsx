import { Brain } from "lucide-react";
import { memo, type ReactElement } from "react";
import type { Message } from "@holdfast/protocol";
import { Markdown } from "../markdown/markdown.tsx";
import { durationText } from "../ui/time.ts";
import { Elapsed } from "./elapsed.tsx";
import { FoldLine } from "./fold-line.tsx";
import { useFold } from "./tool-context.tsx";

/** What an agent thought, folded: "Thought for 4 s". */
export const ThoughtLine = memo(function ThoughtLine({
  message: { id, content, complete, timestamp },
  until,
}: {
  readonly message: Message;
  /** When what came after it began. */
  readonly until: string | null;
}): ReactElement {
  const [open, toggle] = useFold(id, false);
  const text = typeof content["text"] === "string" ? content["text"] : "";
  return (
    <div className="thought" data-message={id} id={id} tabIndex={-1}>
      <FoldLine
        open={open}
        onToggle={toggle}
        icon={<Brain aria-hidden size={14} className="state-icon" />}
        aside={complete ? null : <Elapsed since={timestamp} />}
        details={text.trim() === "" ? null : <Markdown text={text} textKey={id} />}
      >
        {complete ? thoughtTitle(timestamp, until) : `Thinking… ${lastLine(text)}`}
      </FoldLine>
    </div>
  );
});

/** Less than a second is not worth a number. */
function thoughtTitle(from: string, until: string | null): string {
  const ms = until === null ? 0 : Date.parse(until) - Date.parse(from);
  return ms < 1_000 ? "Thought" : `Thought for ${durationText(ms)}`;
}

function lastLine(text: string): string {
  const line = text.trimEnd().split("\n").at(-1) ?? "";
  return line
    .replaceAll(/[*_`#>]/gu, "")
    .trim()
    .slice(-200);
}
