import { Bot } from "lucide-react";
import { memo, type ReactElement, type ReactNode } from "react";
import type { Message } from "@holdfast/protocol";
import { Markdown } from "../markdown/markdown.tsx";
import { FoldLine } from "./fold-line.tsx";
import { PartView } from "./part-view.tsx";
import { useFold } from "./tool-context.tsx";

/** Everything that a sub-agent did, folded under the tool call that stands for it. */
export function SubagentWork({
  workKey,
  count,
  isWaiting,
  children,
}: {
  readonly workKey: string;
  readonly count: number;
  /** One of its calls waits for the user. */
  readonly isWaiting: boolean;
  readonly children: ReactNode;
}): ReactElement {
  const [isUnfolded, toggle] = useFold(workKey, false);
  // A request is never hidden.
  const open = isUnfolded || isWaiting;
  return (
    <div className="activity-items subagent">
      <FoldLine
        open={open}
        onToggle={toggle}
        icon={<Bot aria-hidden size={14} className="state-icon" />}
        details={<div className="subagent-items">{children}</div>}
      >
        {count === 1 ? "1 message of the sub-agent" : `${count} messages of the sub-agent`}
      </FoldLine>
    </div>
  );
}

/** A text or another part that a sub-agent wrote. */
export const SubagentText = memo(function SubagentText({
  message: { id, content },
}: {
  readonly message: Message;
}): ReactElement {
  const { type, text } = content;
  return (
    <div className="subagent-text" data-message={id} id={id} tabIndex={-1}>
      {type === "text" && typeof text === "string" ? (
        <Markdown text={text} textKey={id} />
      ) : (
        <PartView content={content} />
      )}
    </div>
  );
});
