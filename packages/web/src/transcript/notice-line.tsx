import { CircleAlert, Info, TriangleAlert } from "lucide-react";
import { memo, type ReactElement } from "react";
import type { Message } from "@holdfast/protocol";
import { CopyButton } from "../markdown/copy-button.tsx";
import { FoldLine } from "../tools/fold-line.tsx";
import { useFold } from "../tools/tool-context.tsx";
import { toNotice } from "./notice.ts";
import { useTranscript } from "./transcript-context.tsx";

const ICONS = { quiet: Info, warning: TriangleAlert, failure: CircleAlert } as const;

/** What Holdfast has to say, in one line, with at most one thing to do about it. */
export const NoticeLine = memo(function NoticeLine({
  message,
}: {
  readonly message: Message;
}): ReactElement {
  const { noticeAction } = useTranscript();
  const { tone, text, detail } = toNotice(message);
  const [open, toggle] = useFold(message.id, false);
  const Icon = ICONS[tone];
  const action = noticeAction(message);
  return (
    <div className="notice" data-tone={tone}>
      <div className="notice-line">
        <FoldLine
          open={open}
          onToggle={toggle}
          icon={<Icon aria-hidden size={14} className="state-icon" />}
          details={
            detail === null ? null : (
              <div className="notice-detail">
                <pre className="code-text">{detail}</pre>
                <CopyButton label="Copy details" text={() => `${text}\n\n${detail}`} />
              </div>
            )
          }
        >
          {text}
        </FoldLine>
      </div>
      {action !== null && (
        <button type="button" className="notice-action touch-target" onClick={action.run}>
          {action.label}
        </button>
      )}
    </div>
  );
});
